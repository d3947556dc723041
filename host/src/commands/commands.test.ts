import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program, run } from '../testing/run-sextant.ts';
import type { Ran } from '../testing/run-sextant.ts';
import { configOf, pluginSource, scratch } from '../testing/scratch.ts';
import type { Scratch } from '../testing/scratch.ts';

/** A plugin with a tool, a command and the users that they need. */
const plugin = `import { Principals, ServerSettings, SextantError, defineCommand } from '@sextant/core'; import { callerOf } from '@sextant/core/testing';
const greet = defineCommand({
  name: 'people greet', summary: 'greets someone', positionals: ['name'], needs: { users: Principals },
  input: z.object({ name: z.string().describe('Whom'), mood: z.array(z.enum(['warm', 'cold'])).default(['warm']), timesOver: z.int().max(3).default(1), isLoud: z.boolean().default(false) }),
  output: z.object({ greeting: z.string() }),
  async run({ name, mood, timesOver, isLoud }, _services, { readSecret, showProgress }) {
    if (name === 'everyone') showProgress('1/2 ann');
    if (name === 'nobody') throw new SextantError('not_found', 'there is nobody');
    if (name === 'secret') return { greeting: await readSecret('Name: ') };
    if (name === 'bug') throw new TypeError('oops');
    const greeting = (mood.join('+') + ' hello ' + name).repeat(timesOver);
    return { greeting: isLoud ? greeting.toUpperCase() : greeting };
  },
  toText: ({ greeting }) => greeting,
});
${pluginSource(
  'hello-tool',
  'hello',
  `commands: [greet], needs: { settings: ServerSettings }, provides: { users: Principals },
   start: async () => ({ users: { value: { named: async (name) => ['admin', 'bob'].includes(name) ? callerOf(name, name === 'bob' ? { permissions: [] } : {}) : undefined } } }),`,
)}`;

let place: Scratch;
beforeAll(async () => {
  place = await scratch();
  await place.write('hello.ts', plugin);
  await place.write('sextant.config.json', configOf({ './hello.ts': {} }));
  await place.write('wrong.json', '{ "logLevl": "x" }');
  await place.write('broken.yaml', 'users: [');
  await place.write('key.json', configOf({}, { tls: { certificate: 'nowhere.pem', key: 'nowhere.key' } }));
  await place.write(
    'checked.ts',
    pluginSource(
      'checked',
      'yes',
      "config: z.object({ port: z.int() }), checkConfig: async ({ port }) => [{ path: ['port'], text: `port ${port} is taken` }],",
    ),
  );
  await place.write('checked.json', configOf({ './checked.ts': { port: 1 } }));
});
afterAll(() => place[Symbol.asyncDispose]());

const sextant = (line: string, options: { env?: NodeJS.ProcessEnv; input?: string } = {}): Promise<Ran> =>
  run(line.split(' ').filter(Boolean), { cwd: place.folder, ...options });

const done = {
  'people greet ann': 'warm hello ann\n',
  'people greet ann --mood cold --mood warm --times-over 2 --is-loud': 'COLD+WARM HELLO ANNCOLD+WARM HELLO ANN\n',
  'people greet ann --json': '{\n  "greeting": "warm hello ann"\n}\n',
  'tool hello_tool --count 2 --tags a --tags b': 'hellohelloab\n',
  'tool hello_tool --json': '{\n  "answer": "hello"\n}\n',
  'plugin list': "hello-tool  loaded  hello_tool; in the server's process, trusted\n",
  'config check': 'sextant.config.json is valid\n',
} as const;

test.each(Object.entries(done))('`sextant %s` prints its answer alone and exits 0', async (line, stdout) => {
  expect(await sextant(line)).toEqual({ code: 0, stdout, stderr: '' });
});

test('what a terminal would act on is shown, wherever it stands', async () => {
  const bad = 'a\u001b[2J\u009b31m';
  const shown = 'a\\u001b[2J\\u009b31m';
  for (const line of ['people greet --json ', 'tool hello_tool --tags '])
    expect((await sextant(line + bad)).stdout).toContain(shown);
  for (const line of ['tool hello_tool --user ', 'tool hello_tool --'])
    expect((await sextant(line + bad)).stderr).toContain(shown);
});

test('no command writes to a terminal past it', async () => {
  const folder = import.meta.dirname;
  const names = (await readdir(folder, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !name.includes('.test.') && name !== 'terminal/terminal.ts',
  );
  for (const name of names)
    expect([name, /(stdout|stderr)\.write|console\./.test(await readFile(join(folder, name), 'utf8'))]).toEqual([
      name,
      false,
    ]);
  expect(names.length).toBeGreaterThan(10);
});

test('how far a command is stands on standard error', async () => {
  expect(await sextant('people greet everyone')).toEqual({
    code: 0,
    stdout: 'warm hello everyone\n',
    stderr: '1/2 ann\n',
  });
});

const failed = {
  'people greet nobody': 'error: there is nobody\n',
  'tool hello_tool --user zoe': 'error: there is no enabled user named "zoe"; choose one with --user\n',
  'tool hello_tool --user bob': 'error: forbidden\n',
  'config check --config wrong.json': /^wrong\.json: logLevl: unknown key; did you mean "logLevel"\? \(line 1\)\n$/m,
  'config check --config broken.yaml': /^broken\.yaml: line 1: /,
  'config check --config key.json': /^tls: .*nowhere\.pem cannot be read: ENOENT/,
  'config check --config checked.json':
    /^checked\.json: plugins\[".\/checked\.ts"\]\.port: port 1 is taken \(line \d+\)\n$/,
  'people greet bug': 'error: oops\n(with SEXTANT_DEBUG=1 it says where)\n',
} as const;

test.each(Object.entries(failed))('`sextant %s` says what failed in a sentence and exits 1', async (line, stderr) => {
  const ran = await sextant(line);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  if (typeof stderr === 'string') expect(ran.stderr).toBe(stderr);
  else expect(ran.stderr).toMatch(stderr);
});

const wrongUsage = {
  '': /^Usage: sextant/,
  'people great ann': /unknown command 'great'\n\(Did you mean greet\?\)/,
  'people greet': /missing required argument 'name'/,
  'people greet ann --mood hot': /^error: --mood\[0\]: expected one of "warm", "cold", found "hot"/,
  'people greet ann --times-over x': /^error: --times-over: expected a number, got "x"/,
  'people greet ann --times-over 4': /^error: --times-over: expected a whole number of at most 3, found 4/,
  'people greet ann --loud': /unknown option '--loud'/,
  'tool hello_tol': /unknown command 'hello_tol'\n\(Did you mean hello_tool\?\)/,
  'tool hello_tool --count 9': /^error: Argument "count": must be at most 3, got 9\. Valid arguments: count, tags\./,
  'tool hello_tool --repos .': /'--repos <folder>' argument '\.' is invalid\. It stands before the name of the tool\./,
  'serve --port 70000': /--port.*a whole number between 0 and 65535/,
  'serve --repos nowhere': /^error: --repos: the folder nowhere does not exist/,
  'people greet ann --repos nowhere': /^error: --repos: the folder nowhere does not exist/,
  'serve --config nowhere': /^error: --config: the file nowhere does not exist/,
} as const;

test.each(Object.entries(wrongUsage))('`sextant %s` is wrong usage: exit code 2', async (line, stderr) => {
  const ran = await sextant(line);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toMatch(stderr);
});

test('a bug shows its stack only to who asks for it', async () => {
  const { stderr } = await sextant('people greet bug', { env: { SEXTANT_DEBUG: '1' } });
  expect(stderr).toMatch(/^error: oops\nTypeError: oops\n +at /);
});

test('a secret is read from standard input', async () => {
  expect(await sextant('people greet secret', { input: 'hush\nmore\n' })).toMatchObject({ code: 0, stdout: 'hush\n' });
  expect(await sextant('people greet secret', { input: '' })).toMatchObject({
    code: 2,
    stderr: 'error: nothing was given on standard input\n',
  });
});

const helped = [
  '--help',
  'serve --help',
  'config check --help',
  'plugin list --help',
  'stdio --help',
  'people greet --help',
  'tool hello_tool --help',
  '--help --config wrong.json',
];

test.each(helped)('`sextant %s` shows help and exits 0', async (line) => {
  const ran = await sextant(line);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toMatch(/^Usage: sextant/);
});

test('help tells what the schema says', async () => {
  const { stdout } = await sextant('people greet --help');
  expect(stdout).toMatch(/Usage: sextant people greet \[options\] <name>/);
  expect(stdout).toMatch(/--mood <warm\|cold> +\(default: warm\)/);
});

test('help is shown without the commands of plugins when the configuration is wrong', async () => {
  const { stdout } = await sextant('--help --config wrong.json');
  expect(stdout).toMatch(/not shown, because the configuration is wrong:\nwrong\.json: /);
});

test('`config schema` is the merged JSON Schema of the host and all loaded plugins', async () => {
  const { stdout } = await sextant('config schema');
  const schema = JSON.parse(stdout);
  expect(schema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    additionalProperties: false,
  });
  expect(Object.keys(schema.properties)).toEqual(
    expect.arrayContaining(['externalURL', 'mcp.enabled', 'limits', 'plugins']),
  );
  expect(Object.keys(schema.properties.plugins.properties)).toEqual(['./hello.ts']);
});

describe('in a folder that is gone', () => {
  const inRemoved = async (line: string): Promise<string> => {
    const cwd = place.path('removed');
    await mkdir(cwd);
    const command = ['-c', 'rmdir "$PWD" && exec "$@"', 'sh', process.execPath, program, ...line.split(' ')];
    return (await promisify(execFile)('/bin/sh', command, { cwd })).stdout;
  };

  const refused = ['doctor', 'people greet ann', 'people greet ann --config /there.json --data here', 'backup here'];
  test.each(refused)('`sextant %s` is refused: the root is not meant', async (line) => {
    await expect(inRemoved(line)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: the current folder cannot be read: go to another, or give full paths/),
    });
  });

  test('commands with full paths work', async () => {
    const config = place.path('sextant.config.json');
    expect(await inRemoved(`people greet ann --config ${config}`)).toBe('warm hello ann\n');
    expect(existsSync(place.path('.sextant'))).toBe(true);
  });
});
