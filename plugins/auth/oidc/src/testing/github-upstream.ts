import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { redirectUri } from './start-oidc.ts';
import { upstreamClient } from './upstream.ts';

export interface GitHubPerson {
  readonly id: number;
  readonly login: string;
  readonly emails: readonly { readonly email: string; readonly primary: boolean; readonly verified: boolean }[];
  /** Organisations, with whether the invitation was accepted. */
  readonly memberships: Readonly<Record<string, 'active' | 'pending'>>;
}

export interface GitHubUpstream extends AsyncDisposable {
  readonly issuer: string;
  /** Who is signed in at GitHub in this browser. */
  person: GitHubPerson;
  /** Scopes that were asked for. */
  scope: string | null;
}

const specification = JSON.parse(readFileSync(new URL('golden/github-openapi.json', import.meta.url), 'utf8'));

/** With the rest of an example of GitHub's OpenAPI document, and checked against it. */
function answerOf(path: string, facts: unknown): string {
  const { answer } = specification.paths[path].get;
  const schema = z.fromJSONSchema(
    { ...answer, definitions: specification.definitions },
    { defaultTarget: 'openapi-3.0' },
  );
  return JSON.stringify(schema.parse(facts));
}

const examplesOf = (name: string): object => {
  const { properties, required } = specification.definitions[name];
  return Object.fromEntries(
    required.map((key: string) => [
      key,
      properties[key].example ?? (properties[key].nullable ? null : blankOf(properties[key])),
    ]),
  );
};

const blankOf = ({ type, format }: { type?: string; format?: string }): unknown =>
  type === 'integer'
    ? 1
    : type === 'boolean'
      ? false
      : format === 'date-time'
        ? '2026-01-01T00:00:00Z'
        : format === 'uri'
          ? 'https://github.com'
          : 'x';

/** Where an OAuth app of GitHub sends people, as "Authorizing OAuth apps" of its documentation says, PKCE included. */
export async function startGitHubUpstream(person: GitHubPerson): Promise<GitHubUpstream> {
  const codes = new Map<string, { challenge: string; person: GitHubPerson }>();
  const tokens = new Map<string, GitHubPerson>();
  const state = { person, scope: null as string | null };
  const server = createServer(async (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://localhost');
    if (pathname === '/login/oauth/authorize') {
      state.scope = query.get('scope');
      const isKnown = query.get('client_id') === upstreamClient.clientId && query.get('redirect_uri') === redirectUri;
      if (!isKnown || query.get('code_challenge_method') !== 'S256') return response.writeHead(404).end();
      const code = randomBytes(10).toString('hex');
      codes.set(code, { challenge: query.get('code_challenge') ?? '', person: state.person });
      const back = new URLSearchParams({ code, state: query.get('state') ?? '' });
      return response.writeHead(302, { location: `${redirectUri}?${back}` }).end();
    }
    if (pathname === '/login/oauth/access_token') {
      const form = new URLSearchParams(await text(request));
      const found = codes.get(form.get('code') ?? '');
      codes.delete(form.get('code') ?? '');
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      const isGood = found?.challenge === challenge && form.get('client_secret') === upstreamClient.clientSecret;
      const token = `gho_${randomBytes(18).toString('hex')}`;
      if (found && isGood) tokens.set(token, found.person);
      const answer = isGood
        ? { access_token: token, scope: 'read:user,user:email', token_type: 'bearer' }
        : { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' };
      // GitHub answers a form unless JSON is asked for, and errors with 200.
      const isJSON = request.headers.accept?.includes('application/json');
      response.writeHead(200, { 'content-type': isJSON ? 'application/json' : 'application/x-www-form-urlencoded' });
      return response.end(isJSON ? JSON.stringify(answer) : String(new URLSearchParams(answer)));
    }
    const who = tokens.get((request.headers.authorization ?? '').replace(/^bearer /i, ''));
    if (!who) return response.writeHead(401).end('{"message":"Bad credentials"}');
    const path = pathname.replace('/api/v3', '');
    response.setHeader('content-type', 'application/json');
    if (path === '/user')
      return response.end(answerOf('/user', { ...examplesOf('public-user'), id: who.id, login: who.login }));
    if (path === '/user/emails')
      return response.end(
        answerOf(
          '/user/emails',
          who.emails.map((each) => ({ ...each, visibility: 'private' })),
        ),
      );
    const organization = /^\/user\/memberships\/orgs\/([\w-]+)$/.exec(path)?.[1] ?? '';
    const membership = who.memberships[organization];
    if (membership === undefined) return response.writeHead(404).end('{"message":"Not Found"}');
    const parts = { organization: examplesOf('organization-simple'), user: examplesOf('nullable-simple-user') };
    return response.end(
      answerOf('/user/memberships/orgs/{org}', { ...examplesOf('org-membership'), ...parts, state: membership }),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return Object.assign(state, {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}
