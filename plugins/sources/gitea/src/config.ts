import { z } from 'zod';

export const giteaConfig = z.object({
  url: z
    .url({ protocol: /^https?$/ })
    .refine((url) => !/[?#@]/.test(url), 'must have no login, "?" or "#"')
    .transform((url) => url.replace(/\/+$/, ''))
    .describe('Where Gitea or Forgejo is: its ROOT_URL'),
  token: z
    .string()
    .min(1)
    .describe('A reference such as ${env:GITEA_TOKEN}; permissions: sync needs that of an administrator'),
  organizations: z
    .array(z.string().min(1))
    .default([])
    .describe('Organisations and users whose repositories are served; none: all that the token may see'),
  webhookSecret: z.string().min(16).describe('What messages of Gitea are signed with, as a reference').optional(),
  requestsPerHour: z
    .int()
    .min(10)
    .max(1_000_000)
    .describe('Most requests in any hour; absent: as many as Gitea answers')
    .optional(),
});

export type GiteaConfig = z.output<typeof giteaConfig>;
