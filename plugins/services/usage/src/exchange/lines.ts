import { activities } from '@sextant/core';
import { z } from 'zod';
import { maxNameLength, plainName } from '../recording/plain-name.ts';
import type { DailySum } from '../sums/sums.ts';

const name = z.string().max(maxNameLength).transform(plainName);
const id = z.int().min(0);
/** Of one user, tool and day; billions of such sums still add up to what SQLite can hold. */
const amount = z.int().min(0).max(1_000_000_000);

const day = z.iso
  .date('must be a date such as 2026-01-31')
  .refine((date) => date >= firstDay && date <= lastDay(), 'must be a day from 2000-01-01 to tomorrow (UTC)');
const firstDay = '2000-01-01';

/** Last day of which usage is exchanged: of two clocks one may be a little ahead. */
export const lastDay = (): string => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);

const user = z.strictObject({
  id,
  name,
  email: name,
  isActive: z.boolean(),
  isServiceAccount: z.boolean(),
  isSiteAdmin: z.boolean(),
});

const sum = z
  .strictObject({
    userId: id,
    day,
    client: name,
    language: name,
    tool: z.string().min(1).max(maxNameLength).transform(plainName),
    kind: z.enum(['tool', 'report', 'page']),
    calls: amount.min(1),
    errors: amount,
    milliseconds: z.number().min(0).max(1_000_000_000_000),
    credits: amount,
  })
  .refine(({ calls, errors }) => errors <= calls, { path: ['errors'], error: 'must not be more than calls' });

const tool = z.strictObject({
  tool: z.string().min(1).max(maxNameLength).transform(plainName),
  activity: z.enum(activities),
});

/** What one instance tells another in one line of JSON: a user, a tool, or all that calls of one kind came to so far. */
export const exchangeLine = z.union([z.strictObject({ user }), z.strictObject({ tool }), z.strictObject({ sum })], {
  error: 'must be {"user":{…}}, {"tool":{…}} or {"sum":{…}} with exactly their fields',
});
export type ExchangeLine = z.output<typeof exchangeLine>;
export type ExchangedUser = z.output<typeof user>;
type ExchangedSum = z.output<typeof sum>;

export const toDailySum = (instanceId: number, { userId, ...rest }: ExchangedSum): DailySum => ({
  instance_id: instanceId,
  user_id: userId,
  month: rest.day.slice(0, 7),
  day: rest.day,
  client: rest.client,
  language: rest.language,
  tool: rest.tool,
  kind: rest.kind,
  calls: rest.calls,
  errors: rest.errors,
  milliseconds: rest.milliseconds,
  credits: rest.credits,
});

export const toLine = (row: DailySum): string => {
  const { user_id: userId, day, client, language, tool, kind, calls, errors, milliseconds, credits } = row;
  return JSON.stringify({ sum: { userId, day, client, language, tool, kind, calls, errors, milliseconds, credits } });
};
