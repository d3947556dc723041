import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../../host/src/testing/run-sextant.ts';
import { Person, password, seat } from './person.ts';

/** The SDKs that no package of the workspace has. */
const sdks = { python: 'mcp==2.3.0', go: 'github.com/modelcontextprotocol/go-sdk@v1.8.0' };
const endpoints = ['/.api/mcp', '/.api/mcp/all', '/.api/mcp/deepsearch', '/.api/mcp/v1'];

const run = promisify(execFile);
const programOf = (name: string): string => fileURLToPath(new URL(`programs/${name}`, import.meta.url));

/** Alice may use MCP, bob may not. */
const settings = {
  repositories: [{ path: 'shop' }],
  users: [{ name: 'alice', roles: ['agents'] }, { name: 'bob' }],
  roles: { User: { permissions: [] }, agents: { permissions: ['MCP#ACCESS'] } },
  logLevel: 'warn',
};

const folder = temporaryFolder();
const commands: Record<string, readonly string[]> = {
  'TypeScript, sessions': [process.execPath, programOf('session-client.ts')],
  'TypeScript, stateless': [process.execPath, programOf('stateless-client.ts')],
  Python: [join(folder.path, 'python/bin/python'), programOf('client.py')],
  Go: [join(folder.path, 'go/client')],
};
let url = '';
let server: ReturnType<typeof start> | undefined;

beforeAll(async () => {
  new RepositoryBuilder({ folder: join(folder.path, 'shop') }).commit({ files: { 'a.ts': 'export const a = 1;\n' } });
  const config = join(folder.path, 'sextant.config.json');
  writeFileSync(config, JSON.stringify(settings));
  for (const name of ['alice', 'bob'])
    await start(['user', 'password', name, '--config', config], { cwd: folder.path, input: `${password}\n` }).ended;
  server = start(['serve', '--config', config, '--port', '0'], { cwd: folder.path });
  [, url = ''] = await server.untilWritten('stdout', /Sextant serves (\S+)/);
  await Promise.all([installPython(), buildGo()]);
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function installPython(): Promise<void> {
  const place = join(folder.path, 'python');
  await run('python3', ['-m', 'venv', place]);
  await run(join(place, 'bin/pip'), ['install', '--quiet', sdks.python]);
}

async function buildGo(): Promise<void> {
  const cwd = join(folder.path, 'go');
  mkdirSync(cwd);
  copyFileSync(programOf('client.go'), join(cwd, 'client.go'));
  await run('go', ['mod', 'init', 'client'], { cwd });
  await run('go', ['get', sdks.go], { cwd });
  await run('go', ['mod', 'tidy'], { cwd });
  await run('go', ['build', '-o', 'client', '.'], { cwd });
}

interface Step {
  readonly step: string;
  readonly tools?: number;
  /** How often the person was asked until then. */
  readonly asked: number;
  readonly message?: string;
}

/** What a client did, and what the person saw who was asked. */
async function stepsOf(client: string, endpoint: string, who: string): Promise<{ steps: Step[]; consent: string }> {
  const person = new Person(who);
  await using desk = await seat(person);
  const [program = '', ...flags] = commands[client] ?? [];
  const other = endpoints.find((each) => each !== endpoint) ?? '';
  const { stdout } = await run(program, [...flags, url + endpoint, url + other, desk.url], { timeout: 120_000 });
  const lines = stdout.trim().split('\n');
  return { steps: lines.map((line): Step => JSON.parse(line)), consent: person.consent };
}

const toolsOf: Readonly<Record<string, number>> = {
  '/.api/mcp': 9,
  '/.api/mcp/all': 16,
  '/.api/mcp/deepsearch': 2,
  '/.api/mcp/v1': 32,
};

describe.each(Object.keys(commands))('the official SDK: %s', (client) => {
  test.each(endpoints)('connects to %s, refreshes, and finds its way to another endpoint', async (endpoint) => {
    const { steps } = await stepsOf(client, endpoint, 'alice');
    const other = endpoint === '/.api/mcp' ? '/.api/mcp/all' : '/.api/mcp';
    expect(steps).toEqual([
      { step: 'connected', tools: toolsOf[endpoint], asked: 1 },
      { step: 'refreshed', tools: toolsOf[endpoint], asked: 1 },
      { step: 'elsewhere', tools: toolsOf[other], asked: 2 },
    ]);
  });

  test('of a person without MCP#ACCESS is refused, and the person is told', async () => {
    const { steps, consent } = await stepsOf(client, '/.api/mcp', 'bob');
    // Not every SDK passes on what the server says.
    expect(steps).toEqual([{ step: 'refused', asked: 1, message: expect.any(String) }]);
    expect(consent).toContain('MCP#ACCESS');
  });
});
