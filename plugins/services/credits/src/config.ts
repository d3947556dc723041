import { z } from 'zod';

const day = z.iso.date('must be a date such as 2026-01-31').describe('YYYY-MM-DD, inclusive, UTC');

const bucket = z
  .strictObject({
    name: z.string().min(1).max(100).describe('Unique; what was consumed is kept under it'),
    allocation: z.int().min(0).max(1_000_000_000).describe('Credits for everyone together'),
    startDate: day,
    endDate: day,
  })
  .refine(({ startDate, endDate }) => startDate <= endDate, {
    path: ['endDate'],
    error: 'must not be before startDate',
  });

const entitlement = z.strictObject({
  perUserPerHour: z.int().min(0).max(1_000_000).describe('Calls of one user in any 60 minutes'),
});

export const config = z.object({
  credits: z
    .array(bucket)
    .refine((buckets) => new Set(buckets.map(({ name }) => name)).size === buckets.length, 'names must be unique')
    .default([])
    .describe('Buckets of credits; none: metered tools cost nothing'),
  entitlements: z
    .record(z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be the name of a tool'), entitlement)
    .default({})
    .describe('Limits of metered tools by name; absent: unlimited'),
});

export type CreditsConfig = z.output<typeof config>;
export type Bucket = CreditsConfig['credits'][number];
