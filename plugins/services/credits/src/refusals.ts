import { SextantError } from '@sextant/core';
import type { Bucket } from './config.ts';
import { windowMs } from './ledger.ts';

const dayMs = 24 * 3600 * 1000;

const exhausted = (message: string, until: number, now: number): SextantError =>
  new SextantError('exhausted', message, { retryAfterSeconds: Math.max(1, Math.ceil((until - now) / 1000)) });

/** A user has used up an hour's calls; `oldest` is when the first of them began. */
export function hourIsUp(tool: string, limit: number, { oldest, now }: { oldest: number; now: number }): SextantError {
  const until = oldest + windowMs;
  const message = `${tool} is limited to ${limit} calls an hour for each user, and you have made them; the next is possible at ${second(until)}`;
  return exhausted(message, until, now);
}

/** No bucket that is active has enough left. */
export function creditsAreUp(tool: string, buckets: readonly Bucket[], now: number): SextantError {
  const today = dayOf(now);
  const active = buckets.filter(({ startDate, endDate }) => startDate <= today && today <= endDate);
  const next = buckets
    .map(({ startDate }) => startDate)
    .filter((startDate) => startDate > today)
    .toSorted()[0];
  const what =
    active.length === 0
      ? 'no bucket of credits is active today'
      : `the credits of ${active.map(({ name, allocation }) => `"${name}" (${allocation})`).join(', ')} are used up`;
  const when =
    next === undefined ? 'ask an administrator for more' : `they renew on ${next}, when the next bucket begins`;
  const until = next === undefined ? now + dayMs : Date.parse(`${next}T00:00:00Z`);
  return exhausted(`${tool} needs credits, and ${what}; ${when}`, until, now);
}

export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

const second = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;
