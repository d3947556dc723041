import { hash, randomBytes } from 'node:crypto';

/** `sxt_` and 160 random bits. */
export const newSecret = (): string => `sxt_${randomBytes(20).toString('hex')}`;

/** What is stored of a token. No salt and no slowness are needed: nobody guesses 160 bits. */
export const hashOf = (secret: string): string => hash('sha256', secret, 'hex');

/** The token in an `Authorization` header, under either scheme (in any case); undefined for anything else. */
export function secretIn(headers: Headers): string | undefined {
  const [, shown = ''] = /^(?:bearer|token) +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  return /^sxt_[0-9a-f]{40}$/.test(shown) ? shown : undefined;
}
