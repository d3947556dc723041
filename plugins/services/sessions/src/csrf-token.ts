import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const bytes = 32;

/**
 * The token against forgery that belongs to a cookie: who knows it has seen a page that was made for that cookie. Written
 * differently each time, because pages are compressed: how long they become would tell a constant one bit by bit (BREACH).
 */
export function csrfTokenOf(secret: string): string {
  const mask = randomBytes(bytes);
  return Buffer.concat([mask, xor(mask, valueOf(secret))]).toString('base64url');
}

/** Takes the same time for any token of the right length. */
export function isCsrfTokenOf(secret: string, token: string): boolean {
  const given = Buffer.from(token, 'base64url');
  if (given.length !== 2 * bytes) return false;
  return timingSafeEqual(xor(given.subarray(0, bytes), given.subarray(bytes)), valueOf(secret));
}

const valueOf = (secret: string): Buffer => createHmac('sha256', secret).update('csrf').digest();

const xor = (a: Buffer, b: Buffer): Buffer => Buffer.from(a.map((byte, index) => byte ^ (b[index] ?? 0)));
