import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, start } from '../testing/run-sextant.ts';
import type { Running } from '../testing/run-sextant.ts';
import { scratch } from '../testing/scratch.ts';
import type { Scratch } from '../testing/scratch.ts';

interface Hostile {
  /** Of the tool's `run`, which has `services`, `call` and `input`. */
  body: string;
  before?: string;
  /** What the operator reads in the log, on a line with the name of the plugin or its tool. */
  named: string | RegExp;
  /** What the caller is answered. */
  answer?: RegExp;
}

const raw = `const send = (message) => { const body = serialize(message); const head = Buffer.alloc(4); head.writeUInt32BE(body.length); writeSync(3, Buffer.concat([head, body])); };`;

const hostiles: Readonly<Record<string, Hostile>> = {
  'timer-throw': { body: `setTimeout(() => { throw new Error('late'); }); return {};`, named: 'nobody caught: late' },
  rejection: { body: `void Promise.reject(new Error('unloved')); return {};`, named: 'nobody caught: unloved' },
  never: { body: `await new Promise(() => {});`, named: 'did not stop within 5 s', answer: /took longer than 15 s/ },
  prints: { body: `console.log('noise'); process.stdout.write('more'); return {};`, named: 'noise' },
  pollutes: { body: `Object.prototype.everywhere = 1; return {};`, named: 'Cannot add property everywhere' },
  leak: {
    body: `const kept = []; for (;;) { kept.push(new Array(1e5).fill(Math.random())); await new Promise((go) => setImmediate(go)); }`,
    named: 'of memory',
    answer: /leak was stopped/,
  },
  buffers: {
    body: `const kept = []; for (;;) { kept.push(Buffer.alloc(2 ** 24, 1)); await new Promise((go) => setTimeout(go, 10)); }`,
    named: 'of memory',
    answer: /buffers was stopped/,
  },
  huge: {
    body: `return { text: 'x'.repeat(300 * 2 ** 20) };`,
    named: /was not sent|of memory/,
    answer: /too large|was stopped/,
  },
  'huge-frame': {
    before: raw,
    body: `const head = Buffer.alloc(4); head.writeUInt32BE(300 * 2 ** 20); writeSync(3, head); await new Promise(() => {});`,
    named: 'it sent a message of 300 MB',
    answer: /huge-frame was stopped/,
  },
  loop: { body: `for (;;);`, named: 'it did not answer for 10 s', answer: /loop was stopped|took longer/ },
  exits: { body: `process.exit(0);`, named: 'it ended itself with code 0', answer: /exits was stopped/ },
  'other-repository': {
    body: `const root = { ...call.caller, user: { id: 1, name: 'admin', isSiteAdmin: true, isServiceAccount: false }, permissions: new Set(['SITE#ADMINISTER']) };
      return { text: (await (await services.repositories.open(root, 'secret')).readText(await (await services.repositories.open(root, 'secret')).resolve(undefined, call.signal), 'key.txt', call.signal)).text };`,
    named: 'named another caller than its own',
    answer: /secret.*(does not exist|not)/i,
  },
  'data-folder': {
    body: `return { text: readFileSync(input.path, 'utf8') };`,
    named: 'needs the capability \\"filesystem\\"',
    answer: /internal error/,
  },
  socket: {
    body: `await new Promise((resolve, reject) => connect(Number(input.path), '127.0.0.1').on('connect', resolve).on('error', reject)); return { text: 'connected' };`,
    named: 'needs the capability \\"network\\"',
    answer: /internal error/,
  },
  spawns: {
    body: `return { text: spawnSync('id').stdout.toString() };`,
    named: 'needs the capability \\"process\\"',
    answer: /internal error/,
  },
  'kills-the-server': {
    body: `process.kill(process.ppid, 'SIGKILL'); return {};`,
    named: 'needs the capability \\"process\\"',
    answer: /internal error/,
  },
  floods: {
    before: raw,
    body: `for (let id = 1; ; id += 1) { try { send({ type: 'ask', id, call: 1, service: 'repositories', method: 'list', args: [] }); } catch {} }`,
    named: 'it floods the server with messages',
    answer: /floods was stopped/,
  },
  forges: {
    before: raw,
    body: `send({ type: 'ask', id: 1, call: 999999, service: 'repositories', method: 'list', args: [] }); await new Promise(() => {});`,
    named: 'in the name of a call that there never was',
    answer: /forges was stopped/,
  },
  late: {
    before: raw,
    body: `const { repositories } = services; setTimeout(() => { repositories.list(call.caller).then(() => console.log('heard'), () => {}); send({ type: 'ask', id: 7, call: 1, service: 'repositories', method: 'list', args: [] }); }, 50); return {};`,
    named: 'asked in the name of a call that has ended; nothing is answered',
  },
  proto: {
    before: raw,
    body: `for (const service of ['__proto__', 'constructor']) for (const method of ['toString', '__proto__']) send({ type: 'ask', id: 1, call: 1, service, method, args: [JSON.parse('{"__proto__":{"everywhere":1}}')] });
      send({ type: 'ask', id: 1, call: 1, service: 'repositories', method: 'hasOwnProperty', args: ['list'] }); return { text: 'dug' };`,
    named: 'which is not offered to it',
  },
  'asks-too-much': {
    body: `let refused = ''; for (let at = 0; at < 10_100; at += 1) { await services.repositories.list(call.caller).catch((error) => { refused = error.message; }); if (at % 500 === 0) await new Promise((go) => setTimeout(go, 120)); } return { text: refused };`,
    named: 'asked more than 10000 questions',
    answer: /may ask 10000 questions|took longer/,
  },
  'writes-outside': {
    body: `writeFileSync(join(services.plugin.dataFolder, '../../stolen.txt'), 'x'); return {};`,
    named: 'needs the capability \\"filesystem\\"',
    answer: /internal error/,
  },
  links: {
    body: `const link = join(services.plugin.dataFolder, 'link'); symlinkSync(input.path, link); return { text: readFileSync(link, 'utf8') };`,
    named: /needs the capability|fs\.write permissions/,
    answer: /internal error/,
  },
  environment: {
    body: `console.log('looked'); return { text: 'done ' + JSON.stringify(process.env) };`,
    named: 'looked',
  },
  threads: {
    body: `new Worker('for (;;);', { eval: true }); return {};`,
    named: 'needs the capability \\"process\\"',
    answer: /internal error/,
  },
  binding: {
    body: `const { TCP } = process.binding('tcp_wrap'); return { text: 'connected ' + typeof TCP };`,
    named: /restricted|process\.binding/,
    answer: /internal error/,
  },
  inspects: {
    body: `inspector.open(0, '127.0.0.1'); return { text: 'connected ' + inspector.url() };`,
    named: /restricted|inspector/i,
    answer: /internal error/,
  },
  'loads-native-code': {
    body: `process.dlopen({ exports: {} }, '/nowhere.node'); return {};`,
    named: /restricted|addons|dlopen/i,
    answer: /internal error/,
  },
  'claims-credits': {
    before: raw,
    body: `send({ type: 'credits', call: 1, credits: -5 }); await new Promise(() => {});`,
    named: 'does not keep to the protocol',
    answer: /claims-credits was stopped/,
  },
  'other-name': {
    before: raw,
    body: `send({ type: 'described', plugin: { name: 'service-git', capabilities: [], configSchema: {}, unfit: [], needs: {}, usesDataFolder: false, provides: [], permissions: [], tools: [], reports: [], pages: [], resources: [], prompts: [] } }); await new Promise(() => {});`,
    named: 'it calls itself service-git',
    answer: /other-name was stopped/,
  },
  digs: {
    before: raw,
    body: `send({ type: 'ask', id: 1, call: 1, service: 'repositories', method: 'constructor', args: ['return process'] }); return { text: 'dug' };`,
    named: 'which is not offered to it',
  },
};

const toolOf = (name: string): string => name.replaceAll('-', '_');
const source = (name: string, { body, before = '' }: Hostile): string => `
import { spawnSync } from 'node:child_process'; import { readFileSync, symlinkSync, writeFileSync, writeSync } from 'node:fs'; import inspector from 'node:inspector'; import { join } from 'node:path'; import { Worker } from 'node:worker_threads'; import { connect } from 'node:net'; import { serialize } from 'node:v8';
import { Repositories } from '@sextant/contracts'; import { definePlugin, defineTool, thisPlugin } from '@sextant/core'; import { z } from 'zod';
${before}
const tool = defineTool({ name: '${toolOf(name)}', title: 'Hostile', description: 'Does harm.', endpoints: [], needs: { repositories: Repositories, plugin: thisPlugin() },
  input: z.object({ path: z.string().default('').describe('A path') }), output: z.object({ text: z.string().optional() }),
  async run(input, services, call) { ${body} },
  toText: ({ text = 'done' }) => text });
export default definePlugin({ name: '${name}', tools: [tool] });`;

const api = `import { definePlugin, token } from '@sextant/core';`;

/** Plugins that are left out: they never load, or never start. What the operator is told of each, unless it took too long. */
const leftOut: Readonly<Record<string, { source: string; reason: RegExp }>> = {
  'never-loads': { source: `await new Promise(() => {});`, reason: /never-loads\.ts took longer than 30 s/ },
  'loads-in-a-loop': { source: `for (;;);`, reason: /loads-in-a-loop\.ts took longer than 30 s/ },
  'exits-while-loading': { source: `process.exit(0);`, reason: /it ended itself with code 0 while it was loaded/ },
  'throws-while-loading': {
    source: `\nthrow new Error('no luck');`,
    reason: /loading\.ts:2 failed while loading: no luck/,
  },
  handmade: {
    source: `export default { kind: 'sextant-plugin/1', name: 'handmade', tools: [{ name: 'half' }] };`,
    reason: /handmade\.ts.*it lacks/,
  },
  contributes: {
    source: `${api} export default definePlugin({ name: 'contributes', contributions: [7] });`,
    reason: /contributions\.0/,
  },
  'never-starts': {
    source: `${api} export default definePlugin({ name: 'never-starts', start: () => new Promise(() => {}) });`,
    reason: /took longer than 20 s/,
  },
  'gives-nothing': {
    source: `${api} export default definePlugin({ name: 'gives-nothing', provides: { it: token('gift') }, start: async () => {} });`,
    reason: /its start did not return it/,
  },
};

let place: Scratch;
let server: Running;
let url = '';
let token = '';

beforeAll(async () => {
  place = await scratch();
  const git = async (repository: string, ...args: string[]): Promise<unknown> =>
    promisify(execFile)('git', args, { cwd: place.path(`code/${repository}`) });
  for (const repository of ['open', 'secret']) {
    await place.write(`code/${repository}/key.txt`, 'the key\n');
    await git(repository, 'init', '--quiet');
    await git(repository, 'add', '.');
    await git(repository, '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'One');
  }
  for (const [name, hostile] of Object.entries(hostiles))
    await place.write(`plugins/${name}.ts`, source(name, hostile));
  for (const [name, { source: text }] of Object.entries(leftOut)) await place.write(`plugins/${name}.ts`, text);
  const isolated = { memoryMegabytes: 256 };
  const served = {
    repositories: [
      { path: place.path('code/open') },
      { path: place.path('code/secret'), access: { users: ['owner'] } },
    ],
    users: [{ name: 'owner' }, { name: 'reader' }],
  };
  const plugins = {
    ...Object.fromEntries(Object.keys(hostiles).map((name) => [`./plugins/${name}`, isolated])),
    ...Object.fromEntries(Object.keys(leftOut).map((name) => [`./plugins/${name}`, { ...isolated, optional: true }])),
  };
  await place.write('sextant.config.json', JSON.stringify({ ...served, limits: { callSeconds: 15 }, plugins }));
  // What makes the token need not load them all once more.
  await place.write('plain.config.json', JSON.stringify(served));
  server = start(['serve', '--port', '0'], { cwd: place.folder, env: { DATABASE_PASSWORD: 'the key of the server' } });
  [, url = ''] = await server.untilWritten('stdout', /^Sextant serves (\S+)\n/);
  const made = await run(['token', 'create', '--config', 'plain.config.json', '--user', 'reader', '--json'], {
    cwd: place.folder,
  });
  token = /sxt_[0-9a-f]+/.exec(made.stdout)?.[0] ?? '';
}, 400_000);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

async function call(name: string, args: object = {}): Promise<string> {
  const response = await fetch(`${url}/.api/mcp/all`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  return response.text();
}

const argumentsOf = (name: string): object => {
  if (name === 'data-folder' || name === 'links') return { path: place.path('.sextant/sextant.db') };
  return name === 'socket' ? { path: new URL(url).port } : {};
};

const hasName = (line: string, named: string | RegExp): boolean =>
  typeof named === 'string' ? line.includes(named) : named.test(line);

test.each(Object.entries(leftOut))(
  'a plugin that never runs keeps nobody out, and is named: %s',
  async (name, { reason }) => {
    const [line] = await server.untilWritten(
      'stderr',
      new RegExp(`serving without the plugin (?:./plugins/)?${name}: .*\n`),
    );
    expect(line).toMatch(line.includes('took longer than') ? /took longer than \d+ s/ : reason);
    expect(server.process.exitCode).toBe(null);
  },
);

test.each(Object.entries(hostiles))(
  'a hostile plugin takes nobody along, and is named: %s',
  async (name, { named, answer = /done|dug|connected/ }) => {
    const answered = await call(toolOf(name), argumentsOf(name));
    expect(answered).toMatch(name === 'pollutes' ? /internal error/ : answer);
    expect(answered).not.toContain('the key');
    await expect
      .poll(() =>
        server.written.stderr
          .split('\n')
          .some((line) => hasName(line, named) && (line.includes(`"${name}"`) || line.includes(`"${toolOf(name)}"`))),
      )
      .toBe(true);
    expect(await call('read_file', { repo: 'open', path: 'key.txt' })).toContain('the key');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(server.process.exitCode).toBe(null);
  },
  60_000,
);

test('a plugin whose process ended is started again, and its failures are told', async () => {
  await expect.poll(() => call('exits')).toMatch(/exits was stopped/);
  await expect.poll(() => server.written.stderr).toContain('the plugin exits runs again');
});

test('the administration has the last errors', async () => {
  const failure = /internal error ([0-9a-f-]{36})/.exec(await call('spawns'));
  const [, ofAdministrator = ''] = await server.untilWritten('stdout', /(sxt_[0-9a-f]+)/);
  const headers = { authorization: `Bearer ${ofAdministrator}`, accept: 'text/html' };
  const page = await fetch(`${url}/site-admin`, { headers });
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(failure?.[1] ?? 'an id')]);
});
