import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
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

/** That are opened of a server at most. */
const mostPages = 100;

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

it('the token of a code host is in no page, answer, metric, log, argument list or file, also while the host is away', async () => {
  await using own = await scratch();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const secrets = [gitea.token, randomUUID()];
  const [, webhookSecret = ''] = secrets;
  const source = { type: 'gitea', url: gitea.url, token: '${env:GITEA_TOKEN}', permissions: 'sync' };
  const config = {
    logLevel: 'debug',
    sources: [{ ...source, webhookSecret: '${env:WEBHOOK_SECRET}', accessSeconds: 1, pollSeconds: 1 }],
  };
  await own.write('sextant.config.json', JSON.stringify(config));
  const options = { cwd: own.folder, env: { GITEA_TOKEN: gitea.token, WEBHOOK_SECRET: webhookSecret } };
  /** What was seen, by where. */
  const seen = new Map<string, string>();
  const lists = new Set<string>();
  const watch = setInterval(() => argumentLists().forEach((list) => lists.add(list)), 50);
  try {
    await using server = start(['serve', '--port', String(port)], options);
    const [token] = await server.untilWritten('stdout', /sxt_[0-9a-f]{40}/);
    const headers = { authorization: `Bearer ${token}`, accept: 'text/html' };
    const open = async (path: string): Promise<string> =>
      fetch(url + path, { headers, redirect: 'manual' }).then((response) => response.text());
    const lookAround = async (when: string): Promise<void> => {
      for (const [path, text] of await pagesFrom(['/', '/site-admin', '/readyz', '/metrics'], open))
        seen.set(`${path} ${when}`, text);
      const repo = `${new URL(gitea.url).host}/acme/repo-0`;
      const calls = [
        call('list_repos', { query: '' }),
        call('keyword_search', { query: 'repo' }),
        call('list_refs', { repo }),
        call('read_file', { repo: `${repo}/${when}`, path: 'README.md' }),
      ];
      for (const each of calls)
        seen.set(
          `${JSON.stringify(each)} ${when}`,
          await (await post(url, each, { token, path: '/.api/mcp/all' })).text(),
        );
      const commands = [['config', 'print'], ['config', 'check'], ['source', 'list'], ['doctor'], ['audit']];
      for (const command of commands) {
        const { stdout, stderr } = await run(command, options);
        seen.set(`${command.join(' ')} ${when}`, stdout + stderr);
      }
    };
    await expect.poll(() => fetch(`${url}/readyz`).then(({ status }) => status)).toBe(200);
    await lookAround('with Gitea');
    await gitea.stop();
    try {
      // Each repository is fetched, in vain, and the source is listed, in vain.
      await post(url, '', { token, path: '/.api/webhooks/fetch' });
      await expect.poll(() => open('/readyz')).toContain('cannot be reached');
      // The requests of a list are tried again for some seconds.
      await expect.poll(() => server.written.stdout + server.written.stderr).toContain('could not be listed');
      await expect.poll(() => open('/site-admin/repositories?kind=Failed')).toContain('acme/repo-0');
      await lookAround('without Gitea');
    } finally {
      await gitea.startAgain();
    }
    server.process.kill('SIGTERM');
    const { stdout, stderr } = await server.ended;
    seen.set('output', stdout + stderr);
  } finally {
    clearInterval(watch);
  }
  seen.set('argument lists', [...lists].join('\n'));
  expect(seen.get('argument lists')).toContain(`--port\0${port}`);
  expect(seen.get('/metrics with Gitea')).toContain('sextant_ready 1');
  expect(seen.get('/site-admin/repositories with Gitea')).toContain('acme/repo-0');
  expect(seen.get('doctor without Gitea')).toContain('cannot be reached');
  expect(seen.get('output')).toContain('could not be listed');
  const kept = (await readdir(own.folder, { recursive: true, withFileTypes: true })).filter((each) => each.isFile());
  expect(kept.length).toBeGreaterThan(0);
  for (const { parentPath, name } of kept)
    seen.set(`file ${parentPath}/${name}`, await readFile(join(parentPath, name), 'latin1'));
  const forms = secrets.flatMap((secret) => [secret, Buffer.from(secret).toString('base64'), basicOf(secret)]);
  const found = [...seen].filter(([, text]) => forms.some((form) => text.includes(form))).map(([where]) => where);
  expect(found).toEqual([]);
});

/** Pages by their path: these, and to which they link, without addresses that differ in their query only. */
async function pagesFrom(first: readonly string[], open: (path: string) => Promise<string>) {
  const pages = new Map<string, string>();
  const left = [...first];
  for (let path = left.shift(); path !== undefined && pages.size < mostPages; path = left.shift()) {
    if (pages.has(path)) continue;
    const text = await open(path);
    pages.set(path, text);
    for (const [, link = ''] of text.matchAll(/href="(\/[^"?#]*)/g)) left.push(link);
  }
  return pages;
}

/** As git signs in over HTTP. */
const basicOf = (secret: string): string => Buffer.from(`sextant:${secret}`).toString('base64');

const fieldsIn = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(([, name, value]) => [name, value]),
  );
