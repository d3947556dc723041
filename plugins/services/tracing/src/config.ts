import { z } from 'zod';

const otlp = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .refine((url) => !/[?#@]/.test(url), 'must have no login, "?" or "#"')
    .transform((url) => url.replace(/\/+$/, ''))
    .describe('The collector, without the path of traces: http://127.0.0.1:4318'),
  headers: z.record(z.string(), z.string()).default({}).describe('Sent with each request, as for a key'),
  ratio: z.number().min(0).max(1).default(1).describe('The part of all calls whose traces are sent'),
});

export const config = z.strictObject({
  otlp: otlp.optional().describe('Where traces are sent as OTLP over HTTP in JSON; absent: nowhere'),
  slowMilliseconds: z
    .int()
    .min(1)
    .max(3_600_000)
    .default(2000)
    .describe('A call that takes longer is logged with what its time went into'),
});

export type Collector = z.output<typeof otlp>;
