import { z } from 'zod';

const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, { error: 'must be a date such as 2026-01-31', abort: true })
  .refine((text) => isDay(text), 'is no day of the calendar; give a date such as 2026-01-31');

/** The instance that a report is about. */
export const instanceURL = z
  .string()
  .min(1, 'must be the host of an instance, such as code.example.com')
  .max(2048, 'must be the host of an instance, such as code.example.com');

/** The query of every report on a period: days in UTC, inclusive. */
export const reportPeriod = z
  .object({ instanceURL, startDate: day.optional(), endDate: day.optional() })
  .refine(({ startDate, endDate }) => startDate === undefined || endDate === undefined || startDate <= endDate, {
    path: ['startDate'],
    error: 'must not be after endDate',
  });

function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
