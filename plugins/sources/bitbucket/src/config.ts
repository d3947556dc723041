import { z } from 'zod';

const cloudURL = 'https://bitbucket.org';

const consumer = z.strictObject({
  key: z.string().min(1),
  secret: z.string().min(1).describe('A reference such as ${env:BITBUCKET_SECRET}'),
});

export const bitbucketConfig = z
  .object({
    url: z
      .url({ protocol: /^https?$/ })
      .refine((url) => !/[?#@]/.test(url), 'must have no login, "?" or "#"')
      .transform((url) => url.replace(/\/+$/, ''))
      .default(cloudURL)
      .describe('Where Bitbucket is; of a Data Center its base URL'),
    token: z
      .string()
      .min(1)
      .describe('A reference such as ${env:BITBUCKET_TOKEN}; permissions: sync needs that of an administrator')
      .optional(),
    username: z
      .string()
      .min(1)
      .describe(
        'Whose token it is, in the cloud an e-mail address; absent: it is the access token of a workspace or project',
      )
      .optional(),
    consumer: consumer.describe('In the cloud, an OAuth consumer in the place of a token').optional(),
    workspaces: z
      .array(z.string().regex(/^[\w.-]+$/, 'must be the ID of a workspace, such as acme'))
      .default([])
      .describe('In the cloud, workspaces whose repositories are served'),
    projects: z
      .array(z.string().regex(/^~?[\w.-]+$/, 'must be the key of a project, such as SHOP'))
      .default([])
      .describe('Keys of projects; none: all of the workspaces, or all that the token may see'),
    webhookSecret: z.string().min(16).describe('What messages of Bitbucket are signed with, as a reference').optional(),
    requestsPerHour: z
      .int()
      .min(10)
      .max(1_000_000)
      .describe('Most requests in any hour; absent: as many as Bitbucket answers')
      .optional(),
  })
  .superRefine(({ url, token, consumer: given, workspaces }, context) => {
    const refuse = (key: string, message: string): void => context.addIssue({ code: 'custom', path: [key], message });
    if (url === cloudURL) {
      if ((token === undefined) === (given === undefined)) refuse('token', 'must be given, or "consumer" in its place');
      if (workspaces.length === 0) refuse('workspaces', 'must name one at least');
      return;
    }
    if (token === undefined) refuse('token', 'must be given');
    const cloudOnly = { consumer: given, workspaces: workspaces[0] };
    for (const [key, value] of Object.entries(cloudOnly))
      if (value !== undefined) refuse(key, `is for ${cloudURL} only`);
  });

export type BitbucketConfig = z.output<typeof bitbucketConfig>;

export const isCloud = ({ url }: Pick<BitbucketConfig, 'url'>): boolean => url === cloudURL;
