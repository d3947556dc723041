import { z } from 'zod';

/** As the value of `webhookSecret`, it makes that a signing token and not one that is sent along. */
export const signingPrefix = 'whsec_';

export const gitlabConfig = z.object({
  url: z
    .url({ protocol: /^https?$/ })
    .refine((url) => !/[?#@]/.test(url), 'must have no login, "?" or "#"')
    .transform((url) => url.replace(/\/+$/, ''))
    .default('https://gitlab.com')
    .describe('Where GitLab is: its external_url'),
  token: z
    .string()
    .min(1)
    .describe(
      'A personal, group or project access token, as a reference such as ${env:GITLAB_TOKEN}; permissions: sync needs that of an administrator',
    ),
  groups: z
    .array(z.string().regex(/^[^/\s]+(\/[^/\s]+)*$/, 'must be the full path of a group, such as acme/shop'))
    .default([])
    .describe('Full paths of groups whose projects are served, with those of their subgroups'),
  users: z
    .array(z.string().regex(/^[^/\s]+$/, 'must be a username'))
    .default([])
    .describe(
      'Users whose own projects are served; neither groups nor users: all that the token may see, at gitlab.com those that its account is a member of',
    ),
  webhookSecret: z
    .string()
    .min(16)
    .refine(
      (secret) => !secret.startsWith(signingPrefix) || /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret),
      'must be whsec_ with a key in base64, or begin otherwise',
    )
    .describe('Secret token or signing token (whsec_…) of the webhooks, as a reference')
    .optional(),
  requestsPerHour: z
    .int()
    .min(10)
    .max(1_000_000)
    .describe('Most requests in any hour; absent: as many as GitLab answers')
    .optional(),
});

export type GitLabConfig = z.output<typeof gitlabConfig>;
