import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run, start } from '../testing/run-sextant.ts';
import type { Running } from '../testing/run-sextant.ts';
import { configOf, pluginSource, scratch } from '../testing/scratch.ts';
import type { Scratch } from '../testing/scratch.ts';

const token = `sxt_${'ab'.repeat(20)}`;

/** Lets everyone in; its tool waits until a file named `go` appears, and leaves one named `called`. */
const plugin = `import { existsSync, writeFileSync } from 'node:fs'; import { defineAuthenticator, definePage } from '@sextant/core'; import { callerOf } from '@sextant/core/testing';
const anyone = defineAuthenticator({ name: 'anyone', needs: {}, authenticate: async () => callerOf('ann', { isSiteAdmin: true }), firstCredential: async () => existsSync('later') ? undefined : '${token}', firstSignIn: async () => 'https://code.example.com/sign-in/link/once' });
const events = definePage({
  name: 'events', method: 'GET', path: '/events', access: 'anyone', needs: {},
  respond: async () => new Response(new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(': begun\\n\\n')) }), { headers: { 'content-type': 'text/event-stream' } }),
});
const wait = defineTool({
  name: 'wait', title: 'Wait', description: 'Waits.', endpoints: ['default'], needs: {}, input: z.object({}), output: z.object({ answer: z.string() }),
  async run() { writeFileSync('called', ''); while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 5)); return { answer: 'done' }; },
  toText: ({ answer }) => answer,
});
${pluginSource('gate', 'open', 'authenticators: [anyone], pages: [events],').replace('tools: [tool]', 'tools: [tool, wait]')}`;

let place: Scratch;
beforeEach(async () => {
  place = await scratch();
  await place.write('gate.ts', plugin);
  await place.write('sextant.config.json', configOf({ './gate.ts': {} }));
});
afterEach(() => place[Symbol.asyncDispose]());

async function serving(...flags: string[]): Promise<Running & { url: string }> {
  const server = start(['serve', '--port', '0', ...flags], { cwd: place.folder });
  const [, url = ''] = await server.untilWritten('stdout', /^Sextant serves (\S+)\n/);
  return { ...server, url };
}

async function call(url: string, method: string, params: object = {}): Promise<Response> {
  return fetch(`${url}/.api/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
}

const toolNames = async (url: string): Promise<string[]> => {
  const { result }: { result: { tools: { name: string }[] } } = JSON.parse(
    await (await call(url, 'tools/list')).text(),
  );
  return result.tools.map(({ name }) => name);
};

const isThere = (name: string): Promise<boolean> =>
  stat(place.path(name)).then(
    () => true,
    () => false,
  );

test('the first start prints the URL, an access token and lines that connect the common clients, all on standard output', async () => {
  await using server = await serving();
  const { stdout } = server.written;
  for (const line of [
    `  repositories: ${place.path('sextant.config.json')}`,
    `  data: ${place.path('.sextant')}`,
    `export SEXTANT_TOKEN=${token}`,
    `claude mcp add --transport http sextant ${server.url}/.api/mcp --header "Authorization: Bearer $SEXTANT_TOKEN"`,
    `{"mcpServers":{"sextant":{"type":"http","url":"${server.url}/.api/mcp","headers":{"Authorization":"Bearer \${env:SEXTANT_TOKEN}"}}}}`,
    `"servers":{"sextant":{"type":"http","url":"${server.url}/.api/mcp","headers":{"Authorization":"Bearer \${input:sextant-token}"}}}`,
    `[mcp_servers.sextant]`,
    `curl -s ${server.url}/.api/mcp -H "Authorization: Bearer $SEXTANT_TOKEN"`,
    '  https://code.example.com/sign-in/link/once',
  ])
    expect(stdout).toContain(line);
  expect(stdout.split(token)).toHaveLength(2);
  expect(server.written.stderr).toContain('plugins started');
  expect(server.written.stderr).not.toContain(token);
});

test('later starts print no token, but how to make one', async () => {
  await place.write('later', '');
  await using server = await serving();
  expect(server.written.stdout).toBe(
    `Sextant serves ${server.url}\n  repositories: ${place.path('sextant.config.json')}\n  data: ${place.path('.sextant')}\n` +
      'Another access token: sextant token create --user admin\nA link to sign in with a browser: sextant user link admin\n',
  );
});

test('SIGTERM: finishes calls in flight, refuses new ones and exits 0', async () => {
  await using server = await serving();
  const answer = call(server.url, 'tools/call', { name: 'wait', arguments: {} });
  await expect.poll(() => isThere('called')).toBe(true);
  server.process.kill('SIGTERM');
  await server.untilWritten('stderr', /"stopping"/);
  expect((await call(server.url, 'tools/call', { name: 'wait', arguments: {} })).status).toBe(503);
  await writeFile(place.path('go'), '');
  expect(await (await answer).text()).toContain('done');
  expect((await server.ended).code).toBe(0);
});

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('a second %s ends the process at once', async (signal, code) => {
  await using server = await serving();
  const answer = call(server.url, 'tools/call', { name: 'wait', arguments: {} }).catch(() => undefined);
  await expect.poll(() => isThere('called')).toBe(true);
  server.process.kill(signal);
  await server.untilWritten('stderr', /"stopping"/);
  server.process.kill(signal);
  expect((await server.ended).code).toBe(code);
  await answer;
});

test('a port in use is a clear error', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const ran = await run(['serve', '--port', String(port)], { cwd: place.folder });
  expect(ran).toEqual({
    code: 1,
    stdout: '',
    stderr: `error: port ${port} of 127.0.0.1 is in use; stop what listens there, or choose another with --port\n`,
  });
  other.close();
});

test('host and port of the configuration hold where no flag says otherwise', async () => {
  await place.write('sextant.config.json', configOf({ './gate.ts': {} }, { host: '::1', port: 0 }));
  await using server = start(['serve'], { cwd: place.folder });
  await server.untilWritten('stdout', /^Sextant serves http:\/\/\[::1\]:[1-9]\d*\n/);
  await using flagged = start(['serve', '--host', '127.0.0.1', '--data', 'other'], { cwd: place.folder });
  await flagged.untilWritten('stdout', /^Sextant serves http:\/\/127\.0\.0\.1:[1-9]\d*\n/);
  await place.write('sextant.config.json', configOf({ './gate.ts': {} }, { host: '::1', port: 7080 }));
  await server.untilWritten('stderr', /another host or port is in force at the next start/);
});

test('a data folder that cannot be used is a clear error', async () => {
  const file = await place.write('taken', '');
  const ran = await run(['serve', '--port', '0', '--data', 'taken'], { cwd: place.folder });
  expect(ran).toEqual({
    code: 1,
    stdout: '',
    stderr: `error: the data folder ${file} cannot be used: a file of that name is in the way; choose another with --data DIR\n`,
  });
});

test('the data folder stands beside the configuration, is private and invisible to git', async () => {
  await mkdir(place.path('below'));
  await using server = start(['serve', '--port', '0'], { cwd: place.path('below') });
  await server.untilWritten('stdout', /serves/);
  expect((await stat(place.path('.sextant'))).mode & 0o777).toBe(0o700);
  expect(await readFile(place.path('.sextant/.gitignore'), 'utf8')).toBe('*\n');
});

test('an edit of the file takes effect without a restart, and a wrong one is told by /readyz and explained in the log', async () => {
  await using server = await serving();
  expect(await toolNames(server.url)).toEqual(['gate', 'wait']);
  await place.write('more.ts', pluginSource('more', 'more'));
  await place.write('sextant.config.json', configOf({ './gate.ts': {}, './more.ts': {} }));
  await expect.poll(() => toolNames(server.url)).toEqual(['gate', 'more', 'wait']);
  await place.write('sextant.config.json', configOf({ './gate.ts': {} }, { logLevl: 'x' }));
  const readiness = async (): Promise<string> => (await fetch(`${server.url}/readyz`)).text();
  await expect.poll(readiness).toContain('not in force; the log says why');
  expect(await readiness()).not.toContain('logLevl');
  await expect.poll(() => server.written.stderr).toContain('did you mean');
  expect(await toolNames(server.url)).toEqual(['gate', 'more', 'wait']);
});

test('a file that is written beside a server without one takes effect', async () => {
  await rm(place.path('sextant.config.json'));
  await using server = start(['serve', '--port', '0', '--repos', '.'], { cwd: place.folder });
  await server.untilWritten('stdout', /serves/);
  await place.write('sextant.config.yaml', 'plugins: { ./gate.ts: { trusted: true } }');
  await server.untilWritten('stderr', /"loaded":\["gate"\].*the changed configuration is in force/);
});

test('SIGHUP reads configuration and local plugins again', async () => {
  await using server = await serving();
  await place.write('gate.ts', plugin.replace('tools: [tool, wait]', 'tools: [wait]'));
  server.process.kill('SIGHUP');
  await expect.poll(() => toolNames(server.url)).toEqual(['wait']);
});

test('a mistake that schemas cannot see is a warning of the start', async () => {
  const odd =
    "checkConfig: async (_config, { mayRead }) => [{ path: ['port'], text: mayRead ? 'looked' : 'port 1 is odd' }],";
  await place.write('odd.ts', pluginSource('odd', 'yes', `config: z.object({ port: z.int() }), ${odd}`));
  await place.write('sextant.config.json', configOf({ './gate.ts': {}, './odd.ts': { port: 1 } }));
  await using server = await serving();
  expect(server.written.stderr).toMatch(/"level":"warn".*odd\.ts\\?"\]\.port: port 1 is odd \(line \d+\)/);
});

test('another address than loopback without https warns loudly', async () => {
  await using server = await serving('--host', '0.0.0.0');
  await server.untilWritten('stderr', /WARNING: 0\.0\.0\.0 is reachable from other machines/);
});

test('a plugin that fails stops the start with its name, unless it is optional', async () => {
  const bad = pluginSource('bad', 'x', `start: async () => { throw new Error('no luck'); },`);
  await place.write('bad.ts', bad);
  await place.write('sextant.config.json', configOf({ './gate.ts': {}, './bad.ts': {} }));
  const ran = await run(['serve', '--port', '0'], { cwd: place.folder });
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain('plugin bad failed to start: no luck');
  await place.write('sextant.config.json', configOf({ './gate.ts': {}, './bad.ts': { optional: true } }));
  await using server = await serving();
  expect(await toolNames(server.url)).toEqual(['gate', 'wait']);
  await server.untilWritten('stderr', /serving without the plugin bad: no luck/);
});

test('an optional plugin starts once the server listens, and what is told of it meanwhile is true', async () => {
  const slow = pluginSource(
    'slow',
    'x',
    `provides: { it: token('slow') }, start: async () => { while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 5)); return { it: { value: {} } }; },`,
  );
  const bad = pluginSource('bad', 'x', `start: async () => { throw new Error('no luck'); },`);
  await place.write('slow.ts', `import { existsSync } from 'node:fs'; import { token } from '@sextant/core';${slow}`);
  await place.write('bad.ts', bad);
  const optional = { optional: true };
  await place.write('sextant.config.json', configOf({ './gate.ts': {}, './slow.ts': optional, './bad.ts': optional }));
  await using server = await serving();
  expect(await toolNames(server.url)).toEqual(['gate', 'wait']);
  const readiness = async (): Promise<[number, object]> => {
    const response = await fetch(`${server.url}/readyz`);
    return [response.status, (await response.json()) as object];
  };
  expect(await readiness()).toEqual([503, expect.objectContaining({ status: 'starting', starting: ['slow', 'bad'] })]);
  await place.write('go', '');
  await expect.poll(() => toolNames(server.url)).toEqual(['gate', 'slow', 'wait']);
  expect(await readiness()).toEqual([
    200,
    expect.objectContaining({ failed: [{ in: 'plugins', name: 'bad', reason: 'no luck' }] }),
  ]);
  expect(server.written.stderr.match(/serving without/g)).toHaveLength(1);
});

test('an optional plugin that others rely on starts with them', async () => {
  const giver = `import { definePlugin, token } from '@sextant/core';
export default definePlugin({ name: 'giver', provides: { it: token('gift') }, start: async () => ({ it: { value: {} } }) });`;
  await place.write('giver.ts', giver);
  const taker = pluginSource('taker', 'x', `needs: { it: token('gift') },`);
  await place.write('taker.ts', `import { token } from '@sextant/core';${taker}`);
  const plugins = { './gate.ts': {}, './giver.ts': { optional: true }, './taker.ts': {} };
  await place.write('sextant.config.json', configOf(plugins));
  await using server = await serving();
  expect(await toolNames(server.url)).toEqual(['gate', 'taker', 'wait']);
});

test('whoever listens to events is sent away when the configuration has changed', async () => {
  await using server = await serving();
  const { body } = await fetch(`${server.url}/events`);
  if (!body) throw new Error('there is no stream');
  const reader = body.getReader();
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(': begun\n\n');
  await place.write('sextant.config.json', configOf({ './gate.ts': {} }, { logLevel: 'warn' }));
  expect((await reader.read()).done).toBe(true);
});
