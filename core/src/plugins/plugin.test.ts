import { z } from 'zod';
import { expect, test } from 'vitest';
import { definePlugin, pluginProblem } from './plugin.ts';
import type { Plugin } from './plugin.ts';
import { token } from './token.ts';

const nothing = (): undefined => undefined;
const object = { type: 'object' };
const schema = z.object({});

/** One value of each kind as plain JavaScript may make it, with everything that the host relies on. */
const handmade = {
  tools: {
    name: 'handmade',
    title: 'Handmade',
    description: 'Made by hand.',
    endpoints: ['default', { endpoint: 'deepsearch', unless: 'other' }],
    needs: {},
    guidance: {},
    activity: 'other',
    isReadOnly: true,
    inputSchema: object,
    outputSchema: object,
    parseInput: nothing,
    parseOutput: nothing,
    run: nothing,
    toText: nothing,
    rest: '',
    cuts: { of: [], flags: [] },
    filesOf: nothing,
  },
  resources: {
    name: 'handmade',
    title: 'Handmade',
    description: 'Made by hand.',
    uri: 'handmade:one',
    variables: [],
    withTools: [],
    needs: {},
    match: nothing,
    read: nothing,
    complete: nothing,
    filesOf: nothing,
  },
  prompts: {
    name: 'handmade',
    title: 'Handmade',
    description: 'Made by hand.',
    inputSchema: object,
    withTools: [],
    text: nothing,
  },
  reports: {
    name: 'handmade',
    path: '/api/handmade',
    query: schema,
    needs: {},
    jsonKey: 'rows',
    columns: nothing,
    rows: nothing,
  },
  pages: { name: 'handmade', method: 'GET', path: '/handmade', access: 'anyone', needs: {}, respond: nothing },
  authenticators: { name: 'handmade', needs: {}, authenticate: nothing },
  commands: {
    name: 'handmade',
    summary: 'Made by hand.',
    input: schema,
    positionals: [],
    needs: {},
    alsoStarts: {},
    output: schema,
    run: nothing,
    toText: nothing,
  },
  contributions: { point: 'handmade', value: {} },
  wrappers: { service: token('wrapped'), order: 0, needs: {}, wrap: nothing },
  dataFiles: { path: 'handmade' },
} as const;

const plugin = definePlugin({ name: 'whole' });
const problemWith = (kind: string, item: unknown): string | undefined =>
  pluginProblem({ ...plugin, [kind]: [item] } as unknown as Plugin);

test.each(Object.entries(handmade))('of %s that another hand made, whatever is missing is named', (kind, whole) => {
  expect(problemWith(kind, whole)).toBeUndefined();
  for (const member of Object.keys(whole)) {
    const { [member]: _, ...rest } = whole as Record<string, unknown>;
    expect(problemWith(kind, rest)).toMatch(new RegExp(`^its ${kind.slice(0, -1)} \\S+ lacks ${member}, which must `));
  }
  expect(problemWith(kind, undefined)).toMatch(new RegExp(`^it lacks ${kind}\\.0, which must be an object as `));
});

test.each([
  ['tools', { endpoints: ['defualt'] }, 'its tool "handmade" has a wrong endpoints.0, which must be an endpoint'],
  ['tools', { name: 'Hand made' }, 'its tool "Hand made" has a wrong name, which must be in snake_case'],
  [
    'tools',
    { needs: { it: 'search' } },
    'its tool "handmade" has a wrong needs.it, which must be the token of a service',
  ],
  ['reports', { path: '/sums' }, 'its report "handmade" has a wrong path, which must be below /api/, in kebab-case'],
  ['pages', { access: {} }, 'its page "handmade" has a wrong access, which must be "anyone" or an object with a scope'],
  ['pages', { link: {} }, 'its page "handmade" lacks link.title, which must be a text'],
  ['wrappers', { service: 'search' }, 'its wrapper 1 has a wrong service, which must be the token of a service'],
] as const)('of %s what is wrong is named: %j', (kind, wrong, problem) => {
  expect(problemWith(kind, { ...handmade[kind], ...wrong })).toBe(problem);
});

test('a plugin whose members are no lists is refused by its name', () => {
  const definition = { name: 'wrong', tools: {} } as unknown as Parameters<typeof definePlugin>[0];
  expect(() => definePlugin(definition)).toThrow('plugin wrong: it has a wrong tools, which must be a list');
});

test('a misspelt key is refused with the one that is meant; one of another version is not', () => {
  const made = (key: string): Plugin => definePlugin({ name: 'tool-count', [key]: [] });
  expect(() => made('tols')).toThrow('plugin tool-count: there is no "tols"; did you mean "tools"?');
  expect(made('somethingOfTheFuture').tools).toEqual([]);
});
