import { SextantError } from '@sextant/core';
import type { Configuration } from 'openid-client';
import { z } from 'zod';
import type { ProviderConfig } from './config.ts';
import { boundedFetch, timeoutSeconds } from './discover.ts';
import { plainAddress } from './identity.ts';
import type { Identity } from './identity.ts';

/** GitHub has no discovery document and no ID token: where to ask is in its documentation of OAuth apps. */
export async function githubConfiguration({ issuer, clientId, clientSecret }: ProviderConfig): Promise<Configuration> {
  const client = await import('openid-client');
  const base = issuer.replace(/\/+$/, '');
  const server = {
    issuer,
    authorization_endpoint: `${base}/login/oauth/authorize`,
    token_endpoint: `${base}/login/oauth/access_token`,
  };
  const configuration = new client.Configuration(server, clientId, {}, client.ClientSecretPost(clientSecret));
  configuration[client.customFetch] = boundedFetch;
  configuration.timeout = timeoutSeconds;
  if (issuer.startsWith('http:')) client.allowInsecureRequests(configuration);
  return configuration;
}

/** What is asked of a person: who they are, their addresses, and where members only are let in, that they are one. */
export const githubScopes = ({ organizations }: ProviderConfig): readonly string[] => [
  'read:user',
  'user:email',
  ...(organizations.length > 0 ? ['read:org'] : []),
];

const user = z.object({ id: z.int().positive(), login: z.string().min(1) });
const emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));
const membership = z.object({ state: z.string() });

/** Who a token of GitHub is about: the number of the account, which is never given to another. */
export async function githubIdentity(
  configuration: Configuration,
  token: string,
  config: ProviderConfig,
): Promise<Identity> {
  const { fetchProtectedResource } = await import('openid-client');
  const read = async (path: string): Promise<unknown> => {
    const url = new URL(apiOf(config.issuer) + path);
    const headers = new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'sextant' });
    const response = await fetchProtectedResource(configuration, token, url, 'GET', null, headers);
    if (response.ok) return response.json();
    if (response.status === 403 || response.status === 404) return undefined;
    throw new Error(`GitHub answered ${response.status} to ${path}`);
  };
  const { id, login } = user.parse(await read('/user'));
  const groups: string[] = [];
  for (const name of config.organizations) {
    const found = membership.optional().parse(await read(`/user/memberships/orgs/${encodeURIComponent(name)}`));
    if (found?.state === 'active') groups.push(name);
  }
  if (config.organizations.length > 0 && groups.length === 0)
    throw new SextantError(
      'forbidden',
      `Only members of ${config.organizations.join(' or ')} at GitHub are let in here.`,
    );
  const verified = emails.parse((await read('/user/emails')) ?? []).find((each) => each.primary && each.verified);
  const email = plainAddress.safeParse(verified?.email).data;
  const claims = { preferred_username: login, groups };
  return { issuer: config.issuer, subject: String(id), claims, ...(email !== undefined && { email }) };
}

function apiOf(issuer: string): string {
  const { host, origin } = new URL(issuer);
  return host === 'github.com' || host.endsWith('.ghe.com') ? `https://api.${host}` : `${origin}/api/v3`;
}
