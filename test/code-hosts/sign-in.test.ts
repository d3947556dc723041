import { readFileSync, readdirSync } from 'node:fs';
import { run, start } from '../../host/src/testing/run-sextant.ts';
import { scratch } from '../../host/src/testing/scratch.ts';
import { call, post } from '../support/rpc.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Browser } from './support/browser.ts';
import { makeCompany } from './support/company.ts';
import { freePort, password, startGitea } from './support/gitea.ts';
import type { Gitea } from './support/gitea.ts';

let gitea: Gitea;
let files: Awaited<ReturnType<typeof scratch>>;

beforeAll(async () => {
  files = await scratch();
  gitea = await startGitea({ folder: files.folder });
  await makeCompany(gitea, { repositories: 6, people: 5, teams: 2 });
});

afterAll(async () => {
  await gitea?.[Symbol.asyncDispose]();
  await files?.[Symbol.asyncDispose]();
});

/** Texts of the arguments of every process of this machine. */
const argumentLists = (): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8')];
      } catch {
        return [];
      }
    });

it('someone signs in with their account of Gitea and then reads what Gitea shows them, and the token is nowhere', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const app = await gitea.api<{ client_id: string; client_secret: string }>('/user/applications/oauth2', {
    method: 'POST',
    body: { name: 'sextant', redirect_uris: [`${url}/sign-in/oidc/callback`], confidential_client: true },
  });
  const config = {
    externalURL: url,
    logLevel: 'debug',
    sources: [{ type: 'gitea', url: gitea.url, token: '${env:GITEA_TOKEN}', permissions: 'sync', accessSeconds: 1 }],
    plugins: { 'auth-oidc': { issuer: gitea.url, clientId: app.client_id, clientSecret: '${env:OIDC_SECRET}' } },
  };
  await files.write('sextant.config.json', JSON.stringify(config));
  const options = {
    cwd: files.folder,
    env: { GITEA_TOKEN: gitea.token, OIDC_SECRET: app.client_secret },
  };
  await using server = start(['serve', '--port', String(port)], options);
  await server.untilWritten('stdout', /sxt_[0-9a-f]{40}/);
  const lists: string[] = [];
  const watch = setInterval(() => lists.push(...argumentLists()), 50);
  await expect.poll(() => fetch(`${url}/readyz`).then(({ status }) => status)).toBe(200);
  clearInterval(watch);

  const browser = new Browser();
  await browser.open(`${gitea.url}/user/login`, { user_name: 'person-4', password });
  const begun = await browser.open(`${url}/sign-in/oidc?return=%2Faccess-tokens`);
  const grant = await browser.open(begun.headers.get('location') ?? '');
  const granted = await browser.open(`${gitea.url}/login/oauth/grant`, {
    ...fieldsIn(await grant.text()),
    granted: 'true',
  });
  const back = await browser.open(granted.headers.get('location') ?? '');
  expect([back.status, back.headers.get('location')]).toEqual([303, '/access-tokens']);
  expect(await (await browser.open(`${url}/access-tokens`)).text()).toContain('person-4');

  const ran = await run(['token', 'create', '--user', 'person-4'], options);
  const token = ran.stdout.trim();
  const listed = async (): Promise<string> => {
    const response = await post(url, call('list_repos', { query: '' }), { token });
    return response.text();
  };
  expect(await listed()).toContain('person-4/own');
  expect(await listed()).toContain('limited/');
  expect(await listed()).not.toContain('person-0/own');
  const { stdout } = await run(['access', 'explain', 'person-4', 'person-0/own'], options);
  expect(stdout).toMatch(
    /^person-4 may not read .*person-0\/own: .* does not show it to the account person-4 \(id \d+\)/,
  );
  await gitea.api('/admin/users/person-4', {
    method: 'PATCH',
    body: { login_name: 'person-4', source_id: 0, prohibit_login: true },
  });
  await expect.poll(listed).not.toContain('limited/');
  const printed = [
    server.written.stdout,
    server.written.stderr,
    (await run(['config', 'print'], options)).stdout,
    (await run(['source', 'list'], options)).stdout,
    (await run(['config', 'check'], { ...options, env: { ...options.env, GITEA_TOKEN: 'd'.repeat(40) } })).stderr,
  ];
  expect(printed[2]).toContain('${env:GITEA_TOKEN}');
  expect(printed[3]).toContain('person-0/own');
  expect(printed[4]).toContain('does not accept the token');
  for (const text of [...printed, ...lists]) {
    expect(text).not.toContain(gitea.token);
    expect(text).not.toContain('d'.repeat(40));
  }
});

const fieldsIn = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(([, name, value]) => [name, value]),
  );
