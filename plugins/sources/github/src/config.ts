import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';

const logins = z.array(z.string().regex(/^[A-Za-z0-9_-]{1,100}$/, 'must be a login of GitHub'));

const app = z.strictObject({
  id: z
    .union([z.int().positive().transform(String), z.string().min(1)])
    .describe('App ID or client ID of a GitHub App'),
  privateKey: z
    .string()
    .refine(isPrivateKey, 'must be the private key of the app in PEM')
    .describe('A reference such as ${file:/run/secrets/github-app.pem}'),
});

export const githubConfig = z
  .object({
    url: z
      .url({ protocol: /^https?$/ })
      .refine((url) => !/[?#@]/.test(url), 'must have no login, "?" or "#"')
      .transform((url) => url.replace(/\/+$/, ''))
      .default('https://github.com')
      .describe('Where GitHub is; of GitHub Enterprise its own address'),
    token: z.string().min(1).describe('A personal access token, as a reference such as ${env:GITHUB_TOKEN}').optional(),
    app: app.describe('A GitHub App in the place of a token').optional(),
    organizations: logins.default([]).describe('Organisations whose repositories are served'),
    users: logins
      .default([])
      .describe(
        'Users whose repositories are served: the public ones, and with a GitHub App those that it is installed for',
      ),
    searches: z
      .array(z.string().min(1).max(256))
      .default([])
      .describe('Queries of GitHub for repositories, such as "topic:service org:acme"; each may find 1000 at most'),
    webhookSecret: z.string().min(16).describe('What messages of GitHub are signed with, as a reference').optional(),
    requestsPerHour: z
      .int()
      .min(10)
      .max(1_000_000)
      .describe('Most requests in any hour with one token; absent: as many as GitHub answers')
      .optional(),
  })
  .refine(({ token, app: given }) => (token === undefined) !== (given === undefined), {
    path: ['token'],
    message: 'must be given, or "app" in its place',
  });

export type GitHubConfig = z.output<typeof githubConfig>;
export type GitHubApp = z.output<typeof app>;

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

/** Where the API is, below which the paths of REST and GraphQL are. */
export function apiOf(url: string): { baseURL: string; rest: string } {
  const { host, origin } = new URL(url);
  if (host === 'github.com' || host.endsWith('.ghe.com')) return { baseURL: `https://api.${host}`, rest: '' };
  return { baseURL: `${origin}/api`, rest: '/v3' };
}
