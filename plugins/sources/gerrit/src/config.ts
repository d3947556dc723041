import { z } from 'zod';

export const gerritConfig = z.object({
  url: z
    .url({ protocol: /^https?$/ })
    .refine((url) => !/[?#@]/.test(url), 'must have no login, "?" or "#"')
    .transform((url) => url.replace(/\/+$/, ''))
    .describe('Where Gerrit is, without "/a"'),
  username: z
    .string()
    .regex(/^[^:\s]+$/, 'must be a username, without ":" and spaces')
    .describe('Account of the token; permissions: sync needs the capability Administrate Server'),
  token: z.string().min(1).describe('Its HTTP password or token, a reference such as ${env:GERRIT_TOKEN}'),
  prefixes: z
    .array(z.string().min(1))
    .default([])
    .describe('Beginnings of the names of projects, such as platform/; none: all that the account sees'),
  webhookSecret: z.string().min(16).describe('What messages of hooks are signed with, as a reference').optional(),
  requestsPerHour: z
    .int()
    .min(10)
    .max(1_000_000)
    .describe('Most requests in any hour; absent: as many as Gerrit answers')
    .optional(),
});

export type GerritConfig = z.output<typeof gerritConfig>;
