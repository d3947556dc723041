import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';
import type { Configuration } from './config.ts';
import { configOf, pluginSource, scratch } from '../testing/scratch.ts';
import type { Scratch } from '../testing/scratch.ts';

const load = ({ folder }: Scratch, file: string, env: NodeJS.ProcessEnv = {}): Promise<Configuration> =>
  loadConfig({ file: join(folder, file), workingDirectory: folder, repositories: [] }, env);

/** What is wrong with a configuration, a line for each mistake. */
async function problems(place: Scratch, file: string, env?: NodeJS.ProcessEnv): Promise<string[]> {
  const error: unknown = await load(place, file, env).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof Error ? error.message.split('\n') : [];
}

const off = (yaml: string): string => `${yaml}\nplugins: ${JSON.stringify(JSON.parse(configOf({})).plugins)}\n`;
const greeter = pluginSource(
  'greeter',
  'hi',
  `config: z.object({ greeting: z.string().min(1).default('hi'), people: z.array(z.strictObject({ name: z.string() })).default([]) }), topLevel: ['people'],`,
);

test('an error names file, key, what is allowed and what was found', async () => {
  await using place = await scratch();
  await place.write(
    'sextant.config.yaml',
    off('limits:\n  callSeconds: fast\n  callsPerCaller: 0.5\nlogLevel: loud\nmcp.enabled: "no"'),
  );
  expect(await problems(place, 'sextant.config.yaml')).toEqual([
    'sextant.config.yaml: limits.callSeconds: expected a number between 0.1 and 3600, found "fast" (line 2)',
    'sextant.config.yaml: limits.callsPerCaller: expected a whole number between 1 and 10000, found 0.5 (line 3)',
    'sextant.config.yaml: logLevel: expected one of "debug", "info", "warn", "error", "silent", found "loud" (line 4)',
    'sextant.config.yaml: mcp.enabled: expected true or false, found "no" (line 5)',
  ]);
});

test('unknown keys are refused with the nearest known one suggested', async () => {
  await using place = await scratch();
  await place.write('plugins/greeter.ts', greeter);
  const settings = { logLevl: 'info', zzz: 1, limits: { callSecond: 1 }, people: [{ nam: 'x', name: 'y' }] };
  await place.write('sextant.config.json', configOf({ './plugins/greeter': { greting: 'x' } }, settings));
  const found = await problems(place, 'sextant.config.json');
  expect(found).toContain('sextant.config.json: logLevl: unknown key; did you mean "logLevel"? (line 2)');
  expect(found).toContain('sextant.config.json: limits.callSecond: unknown key; did you mean "callSeconds"? (line 5)');
  expect(found).toContain('sextant.config.json: people[0].nam: unknown key; did you mean "name"? (line 9)');
  expect(found.join('\n')).toMatch(/zzz: unknown key; allowed are externalURL, .*plugins, people/);
  expect(found.join('\n')).toMatch(
    /plugins\["\.\/plugins\/greeter"\]\.greting: unknown key; did you mean "greeting"\?/,
  );
});

test('the three dotted settings are spelled exactly so', async () => {
  await using place = await scratch();
  await place.write('sextant.config.yaml', off('mcp: { tools: { disabled: [a] } }\nauth: 3'));
  expect(await problems(place, 'sextant.config.yaml')).toEqual([
    'sextant.config.yaml: mcp: unknown key; did you mean "mcp.tools.disabled"? It is one key with dots in it (line 1)',
    'sextant.config.yaml: auth: unknown key; did you mean "auth.idpDynamicClientRegistrationEnabled"? It is one key with dots in it (line 2)',
  ]);
});

test('a key that a plugin reads at the top does not stand below the plugin', async () => {
  await using place = await scratch();
  await place.write('greeter.ts', greeter);
  await place.write('sextant.config.json', configOf({ './greeter.ts': { people: [] } }));
  expect((await problems(place, 'sextant.config.json'))[0]).toContain(
    '"people" stands at the top of the file, not below its plugin',
  );
});

test('two plugins that read one top-level key are an error', async () => {
  await using place = await scratch();
  const more = `config: z.object({ people: z.array(z.string()).default([]) }), topLevel: ['people'],`;
  await place.write('one.ts', pluginSource('one', '1', more));
  await place.write('two.ts', pluginSource('two', '2', more));
  await place.write('sextant.config.json', configOf({ './one.ts': {}, './two.ts': {} }));
  expect(await problems(place, 'sextant.config.json')).toEqual([
    'sextant.config.json: people: both one and the plugin two read this key; switch one off',
  ]);
});

test('secrets come by reference, and are never printed', async () => {
  await using place = await scratch();
  await place.write('greeter.ts', greeter);
  await place.write('secret.txt', 'from a file\n');
  await place.write(
    'sextant.config.json',
    configOf({ './greeter.ts': { greeting: '${env:WORD}, ${file:secret.txt}' } }),
  );
  const configuration = await load(place, 'sextant.config.json', { WORD: 'hush' });
  expect(configuration.plugins[0]?.config).toEqual({ greeting: 'hush, from a file', people: [] });
  expect(configuration.printable()['plugins']).toEqual({
    './greeter.ts': { trusted: true, greeting: '${env:WORD}, ${file:secret.txt}' },
  });
});

test('a password that stands in a URL is not printed', async () => {
  await using place = await scratch();
  await place.write('greeter.ts', greeter);
  const shown = async (greeting: string): Promise<unknown> => {
    await place.write('sextant.config.json', configOf({ './greeter.ts': { greeting } }));
    return (await load(place, 'sextant.config.json', { WORD: 'hush' })).printable()['plugins'];
  };
  for (const [given, printed] of [
    ['https://bob:hunter2@git.example.com/x.git', 'https://bob:***@git.example.com/x.git'],
    ['https://:to:k@en@git.example.com/x.git', 'https://:***@git.example.com/x.git'],
    ['https://bob:${env:WORD}@git.example.com/x.git', 'https://bob:${env:WORD}@git.example.com/x.git'],
    ['https://token@git.example.com/x.git', 'https://***@git.example.com/x.git'],
    ['http://127.0.0.1:7080/a@b', 'http://127.0.0.1:7080/a@b'],
    ['ssh://git@example.com/a', 'ssh://git@example.com/a'],
    ['git@example.com:a/b', 'git@example.com:a/b'],
  ] as const)
    expect(await shown(given)).toEqual({ './greeter.ts': { trusted: true, greeting: printed } });
});

test('a secret that is missing is an error that names key and variable; one of a wrong form is quoted as its reference', async () => {
  await using place = await scratch();
  await place.write('sextant.config.yaml', off('externalURL: "${env:SITE}"\nlogLevel: "${env:LEVEL}"'));
  expect(await problems(place, 'sextant.config.yaml', { SITE: 'https://a.example' })).toEqual([
    'sextant.config.yaml: logLevel: ${env:LEVEL}: the environment variable LEVEL is not set (line 2)',
  ]);
  expect(await problems(place, 'sextant.config.yaml', { SITE: 'topsecret', LEVEL: 'info' })).toEqual([
    'sextant.config.yaml: externalURL: expected a URL such as https://code.example.com, found "${env:SITE}" (line 1)',
  ]);
});

test('what cannot be parsed is an error with its line', async () => {
  await using place = await scratch();
  await place.write('sextant.config.yaml', 'a: 1\nb: [1\nc: 2\n');
  await place.write('sextant.config.json', '{ "a": 1,\n  "a": 2 }');
  expect((await problems(place, 'sextant.config.yaml'))[0]).toMatch(/sextant\.config\.yaml: line 3: /);
  expect((await problems(place, 'sextant.config.json'))[0]).toMatch(
    /sextant\.config\.json: line 2: Map keys must be unique/,
  );
});

test('a configuration in TypeScript runs as it is, and anew when it has changed', async () => {
  await using place = await scratch();
  const source = (level: string): string =>
    `const level: string = '${level}';\nexport default { logLevel: level, plugins: ${JSON.stringify(JSON.parse(configOf({})).plugins)} };`;
  await place.write('sextant.config.ts', source('debug'));
  expect((await load(place, 'sextant.config.ts')).settings.logLevel).toBe('debug');
  await place.write('sextant.config.ts', source('error'));
  expect((await load(place, 'sextant.config.ts')).settings.logLevel).toBe('error');
});

test('defaults are the schema’s, and printing shows them', async () => {
  await using place = await scratch();
  await place.write('sextant.config.yaml', off('externalURL: https://code.example.com/'));
  const { settings, printable } = await load(place, 'sextant.config.yaml');
  expect(settings.externalURL).toBe('https://code.example.com');
  expect(printable()).toMatchObject({ 'mcp.enabled': true, 'mcp.tools.disabled': [], limits: { callSeconds: 60 } });
});
