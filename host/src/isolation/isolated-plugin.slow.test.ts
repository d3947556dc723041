import { createServer } from 'node:http';
import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { once } from 'node:events';
import { isSextantError, runGuarded, silentLogger } from '@sextant/core';
import type { Logger, Outcome } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../config/config.ts';
import type { Generation } from '../server/generation.ts';
import { startGeneration } from '../server/start.ts';
import { run, start } from '../testing/run-sextant.ts';
import { alone, configOf, scratch } from '../testing/scratch.ts';
import type { Scratch } from '../testing/scratch.ts';

const imports = `import { all, contribute, defineAuthenticator, defineCommand, definePage, definePlugin, definePrompt, defineReport, defineResource, defineTool, defineWrapper, point, thisPlugin, token } from '@sextant/core'; import { z } from 'zod';
import { readFileSync, writeFileSync } from 'node:fs'; import { join } from 'node:path';`;

const tool = (
  body: string,
  more = '',
): string => `defineTool({ name: 'it', title: 'It', description: 'Does it.', endpoints: [], needs: { plugin: thisPlugin(config) },
  input: z.object({ text: z.string().default('').describe('A text') }), output: z.object({ text: z.string() }), activity: 'reading', ${more}
  async run({ text }, { plugin, ...services }, call) { ${body} }, toText: ({ text }) => text })`;

const plugin = (body: string, { more = '', toolMore = '', config = '' } = {}): string => `${imports}
const config = z.object({ ${config} });
export default definePlugin({ name: 'own', config, tools: [${tool(body, toolMore)}], ${more} });`;

/** In the place of the real one: it says whom it was asked for. */
const repositories = `import { Repositories } from '@sextant/contracts'; import { definePlugin } from '@sextant/core';
export default definePlugin({ name: 'fake', provides: { it: Repositories }, start: async () => ({ it: { value: { list: async ({ user }) => 'the list of ' + user.name } } }) });`;

async function started(
  source: string,
  settings: object = {},
  { others = {}, log = silentLogger }: { others?: object; log?: Logger } = {},
): Promise<{ place: Scratch; generation: Generation; ask(text?: string, signal?: AbortSignal): Promise<Outcome> }> {
  const place = await scratch();
  onTestFinished(() => place[Symbol.asyncDispose]());
  await place.write('plugins/own.ts', source);
  await place.write('repositories.ts', repositories);
  await mkdir(place.path('data'));
  const file = await place.write(
    'sextant.config.json',
    configOf({ ...others, './plugins/own': { isolation: 'process', ...settings } }),
  );
  const configuration = await loadConfig({ file, workingDirectory: place.folder, repositories: [] });
  // Of the log of the host only what tests look at is here.
  const options = { dataFolder: place.path('data'), listeningURL: 'http://127.0.0.1:1', log: log as never };
  const generation = await startGeneration(configuration, options);
  onTestFinished(() => generation.retire(0));
  return {
    place,
    generation,
    ask(text = '', signal = new AbortController().signal) {
      const found = generation.registry.find('/.api/mcp/all', 'it');
      if (!found) throw new Error('no tool');
      const call = { caller: callerOf('ann'), endpoint: '/', signal, log, reportProgress() {} };
      return runGuarded({ tool: found.tool, input: { text }, services: generation.servicesOf(found.tool), call });
    },
  };
}

const textOf = (outcome: Outcome): string =>
  outcome.ok ? outcome.text : `${outcome.error.code} ${outcome.error.message}`;

test('a tool in a process of its own has its arguments, settings, data folder and errors', async () => {
  const body = `
    if (text === 'bad') throw Object.assign(new Error('not this one'), { name: 'SextantError', code: 'not_found' });
    writeFileSync(join(plugin.dataFolder, 'x'), text);
    return { text: plugin.settings.word + readFileSync(join(plugin.dataFolder, 'x'), 'utf8') + call.caller.user.name };`;
  const { ask, generation } = await started(
    plugin(body, { config: `word: z.string().default('hm').transform((word) => word + '!')` }),
    {
      word: 'oh',
    },
  );
  expect(textOf(await ask('x'))).toBe('oh!xann');
  expect(textOf(await ask('bad'))).toBe('not_found not this one');
  const listed = generation.registry.find('/.api/mcp/all', 'it')?.tool;
  expect(listed).toMatchObject({
    activity: 'reading',
    isReadOnly: true,
    inputSchema: { properties: { text: { type: 'string' } } },
  });
  const wrong = await runGuarded({
    tool: listed as never,
    input: { txt: 1 },
    services: generation.servicesOf(listed as never),
    call: {
      caller: callerOf('ann'),
      endpoint: '/',
      signal: new AbortController().signal,
      log: silentLogger,
      reportProgress() {},
    },
  });
  expect(textOf(wrong)).toMatch(/^invalid_argument .*txt/);
});

test('a plugin that keeps no data and wants no capability is loaded once, another one also to start', async () => {
  await using place = await scratch();
  const source = (name: string, needs: string): string => `${imports} console.log('${name} is loaded');
export default definePlugin({ name: '${name}', tools: [defineTool({ name: '${name}', title: 'It', description: 'Does it.', endpoints: [], needs: {${needs}}, input: z.object({}), output: z.object({}), run: async () => ({}), toText: () => 'done' })] });`;
  await place.write('plugins/plain.ts', source('plain', ''));
  await place.write('plugins/keeping.ts', source('keeping', 'plugin: thisPlugin()'));
  const plugins = { './plugins/plain': {}, './plugins/keeping': {} };
  await place.write('sextant.config.json', JSON.stringify({ plugins: alone(plugins) }));
  await using server = start(['serve', '--port', '0'], { cwd: place.folder });
  await server.untilWritten('stdout', /^Sextant serves (\S+)\n/);
  const loads = (name: string): number => server.written.stderr.split(`${name} is loaded`).length - 1;
  expect([loads('plain'), loads('keeping')]).toEqual([1, 2]);
});

test('what the caller cancels is canceled in the other process', async () => {
  const { ask } = await started(
    plugin(`if (text === 'seen') return { text: globalThis.seen ?? 'nothing' };
      await new Promise((resolve) => call.signal.addEventListener('abort', resolve)); globalThis.seen = call.signal.reason.code; return { text: '' };`),
  );
  const controller = new AbortController();
  const running = ask('', controller.signal);
  await ask('seen');
  controller.abort();
  expect(textOf(await running)).toMatch(/^canceled/);
  await expect.poll(async () => textOf(await ask('seen'))).toBe('canceled');
});

test('a capability is used only where it is declared and allowed', async () => {
  const server = createServer((_request, response) => void response.end('reached')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const source = plugin(`return { text: await (await fetch(text)).text() };`, { more: `capabilities: ['network'],` });
  await expect(started(source)).rejects.toThrow(
    'the plugin own wants network, which the configuration does not allow; "allow: [network]" below its name does',
  );
  expect(textOf(await (await started(source, { allow: ['network'] })).ask(url))).toBe('reached');
  const undeclared = await started(source.replace(`capabilities: ['network'],`, ''), { allow: ['network'] });
  expect(textOf(await undeclared.ask(url))).toMatch(/^internal/);
});

async function makeRepository(place: Scratch, name: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) await place.write(join(name, path), text);
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  for (const args of [
    ['init', '--quiet'],
    ['add', '.'],
    [...identity, 'commit', '--quiet', '-m', 'One'],
  ])
    await promisify(execFile)('git', args, { cwd: place.path(name) });
}

const unfit: readonly (readonly [string, string, RegExp])[] = [
  [
    'a command',
    `commands: [defineCommand({ name: 'x', summary: 'X', input: z.object({}), needs: {}, output: z.object({}), run: async () => ({}), toText: () => '' })],`,
    /cannot run in a process of its own: a command runs in the operator's terminal, with the operator's rights\. .*"trusted: true"/,
  ],
  [
    'an authenticator',
    `authenticators: [defineAuthenticator({ name: 'x', needs: {}, authenticate: async () => undefined })],`,
    /an authenticator sees the credentials of every request and says who is who/,
  ],
  [
    'a wrapper',
    `wrappers: [defineWrapper({ service: token("x"), wrap: (inner) => inner })], provides: {},`,
    /a wrapper sees what every caller asks of a service/,
  ],
  ['a contribution', `contributions: [contribute(point('x'), 1)],`, /a contribution is used by other plugins/],
  [
    'what others contribute',
    `needs: { x: all(point('x')) },`,
    /what other plugins contribute stays in the server's process/,
  ],
  ['files of a backup', `dataFiles: [{ path: 'x' }],`, /a backup copies the files/],
  [
    'a page that takes forms of those who signed in',
    `pages: [definePage({ name: 'x', method: 'POST', path: '/x', access: { scope: 'all' }, needs: {}, respond: async () => new Response('') })],`,
    /only a page for anyone may take POST or DELETE/,
  ],
  [
    'a page at a path with a pattern of its own',
    `pages: [definePage({ name: 'x', method: 'GET', path: '/:any', access: 'anyone', needs: {}, respond: async () => new Response('') })],`,
    /with a fixed first part, such as \/tickets\/:id/,
  ],
];
test.each(unfit)('what cannot run in a process of its own is refused: %s', async (_what, more, reason) => {
  await expect(started(plugin(`return { text: '' };`, { more }))).rejects.toThrow(reason);
});

/** One of each kind that can run in a process of its own. */
const parts = `
const Words = token('words');
const words = { needs: { words: Words, repositories: Repositories } };
const more = {
  needs: { repositories: Repositories },
  provides: { words: Words },
  async start(_config, { repositories }) {
    let closed = 0;
    return { words: {
      value: { of: async (caller, signal) => (await (await repositories.open(caller, 'shop')).readText(await (await repositories.open(caller, 'shop')).resolve(undefined, signal), 'a.txt', signal)).text },
      ready: async () => { globalThis.readied = true; },
      status: () => ({ isReady: false, detail: { known: 1 }, failures: [{ name: 'shop', reason: 'half read' }] }),
      close: async () => { console.log('closed well'); },
    } };
  },
  reports: [defineReport({ name: 'word-count', path: '/api/word-count', query: z.object({ times: z.coerce.number().int().max(9).default(2) }), ...words,
    columns: ({ times }) => ['word', 'times ' + times],
    async *rows({ times }, { words }, { caller, signal }) { for (let at = 0; at < times; at += 1) yield [[await words.of(caller, signal), at]]; } })],
  pages: [
    definePage({ name: 'words', method: 'GET', path: '/words', access: { scope: 'all' }, link: { title: 'Words', order: 9 }, ...words,
      async respond({ headers }, { words }, { caller, signal }) {
        return new Response('<p>' + await words.of(caller, signal) + [...headers.keys()].join(), { status: 201, headers: { 'content-type': 'text/html', 'set-cookie': 'session=mine', 'content-security-policy': 'none' } });
      } }),
    definePage({ name: 'script', method: 'GET', path: '/words/script', access: 'anyone', needs: {}, respond: async () => new Response('alert(1)', { headers: { 'content-type': 'text/javascript' } }) }),
    definePage({ name: 'out', method: 'GET', path: '/words/out', access: 'anyone', needs: {}, respond: async () => new Response(null, { status: 302, headers: { location: '//evil.example.com' } }) }),
  ],
  resources: [defineResource({ name: 'word', title: 'Word', description: 'A word.', uri: 'word://{name}', withTools: ['it'], ...words,
    read: async ({ name }, { words }, { caller, signal }) => ({ mimeType: 'text/plain', text: name + await words.of(caller, signal) }),
    complete: async ({ typed }) => [typed + 'x'], filesOf: () => ['a.txt'] })],
  prompts: [definePrompt({ name: 'ask', title: 'Ask', description: 'Asks.', input: z.object({ what: z.string().describe('What') }), withTools: ['it'], text: ({ what }) => 'Ask ' + what })],
};`;

test('services, reports, pages, resources and prompts run in a process of their own', async () => {
  const source = plugin(`return { text: (await services.words.of(call.caller, call.signal)) + globalThis.readied };`, {
    more: '...more',
  })
    .replace('const config =', `import { Repositories } from '@sextant/contracts';${parts}\nconst config =`)
    .replace('plugin: thisPlugin(config)', 'plugin: thisPlugin(config), words: Words');
  const place = await scratch();
  onTestFinished(() => place[Symbol.asyncDispose]());
  await place.write('own/index.ts', source);
  await makeRepository(place, 'shop', { 'a.txt': 'cart' });
  await place.write(
    'sextant.config.json',
    JSON.stringify({ repositories: [{ path: 'shop' }], plugins: { './own': {} } }),
  );
  await using server = start(['serve', '--port', '0'], { cwd: place.folder });
  const [, url = ''] = await server.untilWritten('stdout', /^Sextant serves (\S+)\n/);
  const [token = ''] = await server.untilWritten('stdout', /sxt_[0-9a-f]+/);
  const authorization = `Bearer ${token}`;
  const get = (path: string): Promise<Response> =>
    fetch(url + path, { headers: { authorization, cookie: 'session=secret', 'x-own': '1' }, redirect: 'manual' });
  const rpc = async (method: string, params: object): Promise<string> => {
    const headers = { authorization, 'content-type': 'application/json', accept: 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return (await fetch(`${url}/.api/mcp/all`, { method: 'POST', headers, body })).text();
  };

  expect(await rpc('tools/call', { name: 'it', arguments: {} })).toContain('carttrue');
  expect(await (await get('/api/word-count?times=3')).text()).toBe('word,times 3\r\ncart,0\r\ncart,1\r\ncart,2\r\n');
  expect(await (await get('/api/word-count?time=3')).text()).toContain('Unknown parameter \\"time\\".');
  expect(await (await get('/api/word-count?times=12')).text()).toContain('Parameter \\"times\\"');
  const page = await get('/words');
  expect([page.status, page.headers.get('set-cookie'), await page.text()]).toEqual([
    201,
    null,
    '<p>cartaccept,accept-language,user-agent',
  ]);
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*; sandbox allow-forms/);
  expect((await get('/words/script')).status).toBe(500);
  expect((await get('/words/out')).headers.get('location')).toBe(null);
  expect((await get('/words/-/blob/x')).status).toBe(404);
  expect(await rpc('resources/read', { uri: 'word://the ' })).toContain('"text":"the cart"');
  expect(await rpc('prompts/get', { name: 'ask', arguments: { what: 'why' } })).toContain('Ask why');
  expect(await rpc('prompts/get', { name: 'ask', arguments: {} })).toContain('Missing argument');
  // Its own readiness keeps nobody waiting, and is told.
  await expect.poll(async () => (await get('/readyz')).text()).toContain('half read');
  await expect.poll(async () => (await get('/readyz')).status).toBe(200);
  server.process.kill('SIGTERM');
  const { stderr } = await server.ended;
  expect(stderr).toContain('closed well');
});

test('a service is asked by a service only in the name of the caller of a call', async () => {
  const more = `needs: { repositories: Repositories }, async start(_config, { repositories }) {
    let stolen; globalThis.keep = (caller) => { stolen ??= caller; };
    globalThis.ask = (caller) => repositories.list(caller ?? stolen).then(String, ({ code, message }) => code + ' ' + message);
    return {};
  }`;
  const { ask } = await started(
    plugin(
      `keep(call.caller); return { text: String(await globalThis.ask(text === 'own' ? call.caller : undefined)) };`,
      { more },
    ).replace('const config', `import { Repositories } from '@sextant/contracts';\nconst config`),
    {},
    { others: { './repositories': {} } },
  );
  expect(textOf(await ask('own'))).toBe('the list of ann');
  expect(textOf(await ask(''))).toBe(
    'forbidden a service is asked only during a call, with the caller that the call came with',
  );
});

test('a service that does not say what of it may leave the server is refused', async () => {
  const place = await scratch();
  onTestFinished(() => place[Symbol.asyncDispose]());
  const vault = await place.write(
    'vault.ts',
    `import { definePlugin, token } from '@sextant/core';
export default definePlugin({ name: 'vault', provides: { it: token('vault') }, start: async () => ({ it: { value: { open() {} } } }) });`,
  );
  const source = plugin(`return { text: '' };`).replace(
    'plugin: thisPlugin(config)',
    `plugin: thisPlugin(config), vault: token('vault')`,
  );
  await expect(started(source, {}, { others: { [vault]: { trusted: true } } })).rejects.toThrow(
    `the tool it needs "vault", which only a plugin in the server's process can have`,
  );
});

test('a plugin that ends its process while it starts is not started again', async () => {
  const more = `start: async () => { setImmediate(() => process.exit(3)); await new Promise(() => {}); },`;
  const lines: string[] = [];
  const note = (_fields: object, message: string): void => void lines.push(message);
  const log = { ...silentLogger, error: note, info: note };
  await expect(started(plugin(`return { text: '' };`, { more }), {}, { log })).rejects.toThrow(
    'it ended itself with code 3',
  );
  // Longer than the first pause.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect(lines.filter((line) => line.includes('was stopped'))).toHaveLength(1);
});

test('a start that fails in the other process is told, as is a mistake at its load with its line', async () => {
  await expect(
    started(plugin(`return { text: '' };`, { more: `start: async () => { throw new Error('no key'); },` })),
  ).rejects.toThrow('plugin own failed to start: no key');
  await expect(started(`${imports}\n\nthrow new Error('broken');`)).rejects.toThrow(
    /own\.ts:4 failed while loading: broken/,
  );
});

test('a plugin reads its own folder and nothing beside it', async () => {
  const { ask, place } = await started(
    plugin(`try { return { text: readFileSync(text, 'utf8') }; } catch (error) { return { text: error.code }; }`),
  );
  await place.write('plugins/notes.txt', 'private');
  for (const path of ['sextant.config.json', 'plugins/notes.txt', 'data/x'])
    expect(textOf(await ask(place.path(path)))).toBe('ERR_ACCESS_DENIED');
  expect(textOf(await ask(place.path('plugins/own.ts')))).toContain('definePlugin');
});

test('a plugin in the folder of the configuration reads the modules beside it, and no other file', async () => {
  const place = await scratch();
  onTestFinished(() => place[Symbol.asyncDispose]());
  await place.write('package.json', '{ "type": "module" }');
  await place.write('words.ts', `export const word: string = 'beside';`);
  await place.write('code/shop/secret.ts', 'export const secret = 1;');
  await place.write(
    'index.ts',
    plugin(
      `const { word } = await import('./words.ts'); if (text === '') return { text: word };
      try { return { text: readFileSync(join(import.meta.dirname, text), 'utf8') }; } catch (error) { return { text: error.code }; }`,
    ),
  );
  await place.write('sextant.config.json', JSON.stringify({ plugins: { './index.ts': {} }, repositories: [] }));
  const read = async (text: string): Promise<string> =>
    (await run(['tool', 'it', '--text', text], { cwd: place.folder })).stdout.trim();
  expect(await read('')).toBe('beside');
  for (const file of ['sextant.config.json', 'package.json', 'code/shop/secret.ts', '.sextant/sextant.db'])
    expect([file, await read(file)]).toEqual([file, 'ERR_ACCESS_DENIED']);
});

test('a plugin whose folder holds the data folder is refused', async () => {
  const place = await scratch();
  onTestFinished(() => place[Symbol.asyncDispose]());
  await place.write('own/index.ts', plugin(`return { text: '' };`));
  await place.write('sextant.config.json', configOf({ './own/index.ts': { isolation: 'process' } }));
  const { stderr } = await run(['plugin', 'list', '--start', '--data', 'own/data'], { cwd: place.folder });
  expect(stderr).toContain('which an isolated plugin must not read; keep it in a folder of its own');
});

test('a folder whose files lead out of it is refused', async () => {
  const place = await scratch();
  onTestFinished(() => place[Symbol.asyncDispose]());
  await place.write('secret.ts', '');
  await place.write('own/index.ts', plugin(`return { text: '' };`));
  await symlink('../secret.ts', place.path('own/linked.ts'));
  const file = await place.write('c.json', configOf({ './own': { isolation: 'process' } }));
  const error = await loadConfig({ file, workingDirectory: place.folder, repositories: [] }).catch(
    (thrown: unknown) => thrown,
  );
  expect(isSextantError(error) || error instanceof Error ? String(error) : '').toContain(
    'leads out of the folder of its plugin',
  );
});

test('`plugin list` shows which plugins are isolated, and what they may do', async () => {
  const place = await scratch();
  onTestFinished(() => place[Symbol.asyncDispose]());
  await place.write('own.ts', plugin(`return { text: '' };`, { more: `capabilities: ['network'],` }));
  await place.write('sextant.config.json', configOf({ './own': { isolation: 'process', allow: ['network'] } }));
  const { stdout } = await run(['plugin', 'list'], { cwd: place.folder });
  expect(stdout).toBe('own  loaded  it; in a process of its own; capabilities network\n');
  await place.write('sextant.config.json', configOf({ './own': { trusted: true } }));
  const trusted = await run(['plugin', 'list'], { cwd: place.folder });
  expect(trusted.stdout).toBe("own  loaded  it; in the server's process, trusted; capabilities network\n");
  await place.write('sextant.config.json', configOf({ './own': { isolation: 'thread' } }));
  const { stderr } = await run(['plugin', 'list'], { cwd: place.folder });
  expect(stderr).toContain('isolation: expected "in-process" or "process", found "thread"');
});
