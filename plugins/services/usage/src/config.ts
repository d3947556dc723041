import { z } from 'zod';

const pushTo = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be the URL of another Sextant, such as https://code.example.com' })
    .transform((url) => url.replace(/\/+$/, ''))
    .describe('Where the usage of this instance is sent'),
  token: z
    .string()
    .min(1)
    .describe('An access token of that instance: scope analytics, of a user with ANALYTICS#INGEST'),
  intervalSeconds: z.number().min(1).max(86_400).default(60).describe('How often what is new is sent'),
});

export const config = z.object({
  eventDays: z
    .int()
    .min(1)
    .max(36_500)
    .default(90)
    .describe('How long single events are kept; their sums by day are kept for ever'),
  pushTo: pushTo.optional().describe('Another instance that shows the usage of this one too'),
});
