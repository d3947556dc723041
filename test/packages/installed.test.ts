import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pluginKinds } from '../../host/src/plugin-kit/plugin-kinds.ts';
import { install, tarballs } from './installation.ts';
import type { Installation, Serving } from './installation.ts';

const files = {
  'src/cart.ts':
    'export function totalOf(prices: number[]): number {\n  return prices.reduce((a, b) => a + b, 0);\n}\n',
  'src/main.ts': "import { totalOf } from './cart.ts';\n\nconsole.log(totalOf([1, 2]));\n",
  'README.md': '# Shop\n\nThe cart adds up prices.\n',
};

/** A repository as a stranger has it. */
function makeRepository(folder: string): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgSign=false'];
  for (const args of [
    ['init', '--quiet', '--initial-branch=main'],
    ['add', '.'],
    [...identity, 'commit', '--quiet', '-m', 'Add the cart'],
  ])
    execFileSync('git', args, { cwd: folder });
}

/** The Node of another major version, from the registry, as a package for this machine. */
function otherNode(version: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'sextant-node-'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const name = `node-${process.platform}-${process.arch}`;
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', `${name}@${version}`], { cwd: folder });
  return join(folder, 'node_modules', name, 'bin');
}

describe.each([['24'], ['22']])('installed with npm, run by Node %s', (version) => {
  let nodeFolder: string;
  let installed: Installation;
  let server: Serving;
  const client = new Client({ name: 'stranger', version: '1' });

  beforeAll(async () => {
    nodeFolder = process.versions.node.startsWith(`${version}.`) ? dirname(process.execPath) : otherNode(version);
    installed = install(tarballs, nodeFolder);
    makeRepository(join(installed.folder, 'shop'));
    server = await installed.serve('--repos', 'shop');
    const requestInit = { headers: { authorization: `Bearer ${server.token}` } };
    const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/.api/mcp/all`), { requestInit });
    // The SDK's own types do not hold under exactOptionalPropertyTypes.
    await client.connect(transport as Parameters<Client['connect']>[0]);
  });
  afterAll(async () => {
    await client.close();
    await server?.stop();
    installed?.[Symbol.dispose]();
    if (nodeFolder !== dirname(process.execPath))
      rmSync(join(nodeFolder, '../../..'), { recursive: true, force: true });
  });

  test('the right Node runs it, and npx finds the program', () => {
    expect(installed.run('node', ['--version'])).toMatch(new RegExp(`^v${version}\\.`));
    expect(installed.run('npx', ['sextant', '--help'])).toContain('serve');
  });

  // Each needs a thread, a grammar, a WebAssembly module or a table of a database of the built packages.
  test.each([
    ['read_file', { repo: 'shop', path: 'README.md' }, 'The cart adds up prices.'],
    ['keyword_search', { query: 'totalOf' }, 'src/cart.ts'],
    ['nls_search', { query: 'where are prices added up' }, 'cart'],
    ['go_to_definition', { repo: 'shop', path: 'src/main.ts', symbol: 'totalOf' }, 'src/cart.ts'],
    ['commit_search', { repos: ['shop'], messageTerms: ['cart'] }, 'Add the cart'],
    ['diff_search', { pattern: 'totalOf', repos: ['shop'] }, 'totalOf'],
    ['evaluator', { script: 'return #search.keyword("totalOf").matches' }, '3'],
    ['code_finder', { task: 'In shop, find where prices are added up' }, 'cart'],
  ])('%s answers', async (name, args, expected) => {
    await expect.poll(async () => JSON.stringify(await client.callTool({ name, arguments: args }))).toContain(expected);
  });

  test('pages come with their styles, scripts and colours', async () => {
    const headers = { authorization: `Bearer ${server.token}` };
    const page = await (await fetch(`${server.url}/shop/-/blob/src/cart.ts`, { headers })).text();
    const assets = [...page.matchAll(/(?:href|src)="(\/\.assets\/[^"]+)"/g)].map(([, path]) => path);
    expect(assets.length).toBeGreaterThan(3);
    for (const path of assets) expect((await fetch(`${server.url}${path}`)).status, path).toBe(200);
    const lines = /data-lines="([^"]+)"/.exec(page)?.[1];
    await expect.poll(async () => (await fetch(`${server.url}${lines}?from=1&to=3`, { headers })).status).toBe(200);
  });

  test('a stranger writes a plugin of each kind, builds, checks and packs it, installs it and calls its tool', async () => {
    const { folder, run } = installed;
    run('npm', [
      'install',
      '--no-audit',
      '--no-fund',
      'typescript@5',
      '@types/node@24',
      '@vscode/tree-sitter-wasm@0.3.1',
    ]);
    const names = pluginKinds.map((kind) => `my-${kind}`);
    for (const kind of pluginKinds) {
      run('npx', ['sextant', 'plugin', 'new', `@acme/my-${kind}`, '--kind', kind]);
      run('npm', ['run', 'check'], { in: `my-${kind}` });
      expect(run('npm', ['test'], { in: `my-${kind}` })).toMatch(/^ok +my-\S+: test: /m);
      run('npm', ['pack', '--pack-destination', folder], { in: `my-${kind}` });
      rmSync(join(folder, `my-${kind}`), { recursive: true });
    }
    for (const [example, ...flags] of [
      ['http-tool', '--settings', '{"url":"http://127.0.0.1:9","token":"x"}'],
      ['todo-report'],
      ['replace-service', '--without', 'service-credits'],
    ] as const) {
      cpSync(join(folder, 'node_modules/@sextant/host/examples', example), join(folder, example), { recursive: true });
      run('npx', ['sextant', 'plugin', 'check', `./${example}`, ...flags]);
      rmSync(join(folder, example), { recursive: true });
    }
    const packed = names.map((name) => `./acme-${name}-0.1.0.tgz`);
    run('npm', ['install', '--no-audit', '--no-fund', ...packed]);
    const settings: Record<string, object> = {
      'my-authenticator': { trusted: true, secret: 'x'.repeat(32) },
      'my-command': { trusted: true },
      'my-language': { trusted: true },
      'my-source': { trusted: true },
    };
    const plugins = Object.fromEntries(names.map((name) => [`@acme/${name}`, settings[name] ?? {}]));
    writeFileSync(join(folder, 'sextant.config.json'), JSON.stringify({ plugins, repositories: [{ path: 'shop' }] }));
    expect(run('npx', ['sextant', 'config', 'check'])).toContain('is valid');
    expect(run('npx', ['sextant', 'tool', 'my_tool', '--repo', 'shop', '--path', 'README.md'])).toContain('3 lines');
    expect(run('npx', ['sextant', 'my-command', 'admin'])).toContain('shop');
    const started = await installed.serve();
    const headers = { authorization: `Bearer ${server.token}` };
    const answer = await fetch(`${started.url}/.api/mcp/all`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'my_tool', arguments: { repo: 'shop', path: 'README.md' } },
      }),
    });
    expect(await answer.text()).toContain('3 lines');
    await started.stop();
  }, 600_000);
});
