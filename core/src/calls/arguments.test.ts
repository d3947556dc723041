import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { unlisted } from '../surface/json-schema.ts';
import { definePage } from '../surface/page.ts';
import { definePlugin } from '../plugins/plugin.ts';
import { token } from '../plugins/token.ts';
import { defineTool } from '../surface/tool.ts';
import { runTool } from '../testing/run-tool.ts';

const tool = defineTool({
  name: 'find',
  title: 'Find',
  description: 'Finds.',
  endpoints: [],
  needs: {},
  input: z.object({
    repo: z.string().min(1).max(10).describe('Repository'),
    limit: z.int().min(1).max(100).default(50).describe('Most'),
    names: z.array(z.string().max(3)).max(2).describe('Names').optional(),
    side: z.enum(['left', 'right']).describe('Side').optional(),
    exact: z.boolean().describe('Exact').optional(),
  }),
  output: z.object({}),
  run: async () => ({}),
  toText: () => '',
});
const valid = 'Valid arguments: repo (required), limit, names, side, exact.';

test('good arguments get their defaults', () => {
  expect(tool.parseInput({ repo: 'shop' })).toEqual({ repo: 'shop', limit: 50 });
});

test.each<[string, object, object]>([
  ['a number in a string', { limit: '3' }, { limit: 3 }],
  ['a boolean in a string', { exact: 'false' }, { limit: 50, exact: false }],
  ['one value for a list', { names: 'x' }, { limit: 50, names: ['x'] }],
  ['a list in a string', { names: '["x", "y"]' }, { limit: 50, names: ['x', 'y'] }],
  ['null for what is absent', { names: null, limit: null }, { limit: 50 }],
  ['an empty string for what is absent', { side: '' }, { limit: 50 }],
])('%s is taken for what it can only mean', (_, given, meant) => {
  expect(tool.parseInput({ repo: 'shop', ...given })).toEqual({ repo: 'shop', ...meant });
});

test('of many wrong arguments ten are named', () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`wrong${at}`, at]));
  const error = (() => {
    try {
      return tool.parseInput({ repo: 'a', ...many });
    } catch (thrown) {
      return String(thrown);
    }
  })();
  expect(String(error).match(/Unknown argument/g)).toHaveLength(10);
});

describe('wrong arguments are answered with an error that names the offending argument and the valid ones', () => {
  test.each<[string, unknown, string]>([
    ['a missing one', {}, 'Missing argument "repo".'],
    ['none at all', undefined, 'Missing argument "repo".'],
    ['an unknown one', { repo: 'a', limt: 3 }, 'Unknown argument "limt". Did you mean "limit"?'],
    ['an unknown one near to nothing', { repo: 'a', zzzzzz: 3 }, 'Unknown argument "zzzzzz".'],
    ['a number for a string', { repo: 7 }, 'Argument "repo": expected a string, got a number.'],
    ['null for a string', { repo: null }, 'Argument "repo": expected a string, got null.'],
    ['a text for a number', { repo: 'a', limit: '3 of' }, 'Argument "limit": expected a number, got a string.'],
    [
      'a number in a string that is too large',
      { repo: 'a', limit: '101' },
      'Argument "limit": must be at most 100, got 101.',
    ],
    ['a fraction', { repo: 'a', limit: 1.5 }, 'Argument "limit": must be a whole number, got 1.5.'],
    ['too small', { repo: 'a', limit: 0 }, 'Argument "limit": must be at least 1, got 0.'],
    ['too large', { repo: 'a', limit: 101 }, 'Argument "limit": must be at most 100, got 101.'],
    ['an empty string', { repo: '' }, 'Argument "repo": must be at least 1 character, got 0.'],
    ['a long string', { repo: 'x'.repeat(100_000) }, 'Argument "repo": must be at most 10 characters, got 100000.'],
    ['a number for an array', { repo: 'a', names: 7 }, 'Argument "names": expected an array, got a number.'],
    ['null for a required one', { repo: null, names: null }, 'Argument "repo": expected a string, got null.'],
    ['too many values', { repo: 'a', names: ['a', 'b', 'c'] }, 'Argument "names": must be at most 2 values, got 3.'],
    [
      'a wrong value in an array',
      { repo: 'a', names: ['a', 7] },
      'Argument "names.1": expected a string, got a number.',
    ],
    [
      'a value that is none of the choices',
      { repo: 'a', side: 'top' },
      'Argument "side": must be one of "left", "right".',
    ],
    ['several', { limit: 0 }, 'Missing argument "repo". Argument "limit": must be at least 1, got 0.'],
    ['no object', [1], 'The arguments must be an object, not an array.'],
    ['a prototype', JSON.parse('{"repo":"a","__proto__":{"limit":1}}'), 'Unknown argument "__proto__".'],
    ['an unknown one of 100 kB', { repo: 'a', ['y'.repeat(100_000)]: 1 }, `Unknown argument "${'y'.repeat(59)}…".`],
  ])('%s', (_case, given, problem) => {
    expect(() => tool.parseInput(given)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: `${problem} ${valid}` }),
    );
  });

  test('a tool without arguments says so', () => {
    const bare = defineTool({
      name: 'bare',
      title: '',
      description: '',
      endpoints: [],
      needs: {},
      input: z.object({}),
      output: z.object({}),
      run: async () => ({}),
      toText: () => '',
    });
    expect(() => bare.parseInput({ a: 1 })).toThrow('Unknown argument "a". This tool takes no arguments.');
  });
});

describe('a declaration that breaks a rule is refused when it is made', () => {
  const declare = (change: object) => () =>
    defineTool({
      name: 'ok',
      title: '',
      description: '',
      endpoints: [],
      needs: {},
      input: z.object({}),
      output: z.object({}),
      run: async () => ({}),
      toText: () => '',
      ...change,
    });

  test.each([
    ['Read', 'tool name "Read" must be snake_case'],
    ['read-file', 'tool name "read-file" must be snake_case'],
    ['a'.repeat(65), 'must be snake_case'],
  ])('the name %s', (name, message) => {
    expect(declare({ name })).toThrow(message);
  });

  test('a property without description', () => {
    expect(declare({ input: z.object({ a: z.string() }) })).toThrow('tool ok: the property "a" has no description');
  });

  test('a type that is not plain', () => {
    const union = z.object({ a: z.union([z.string(), z.number()]).describe('A') });
    expect(declare({ input: union })).toThrow('schema at "a" has no single plain type');
    expect(declare({ output: z.object({ list: z.array(z.object({ b: z.string().nullable() })) }) })).toThrow(
      'schema at "list[].b"',
    );
  });

  test('a plugin name that is not kebab-case', () => {
    expect(() => definePlugin({ name: 'Tool_X' })).toThrow('plugin name "Tool_X" must be kebab-case');
  });

  test('a tool that needs what only services may', () => {
    const raw = token<object>('raw', { isForServices: true });
    const page = definePage({
      name: 'p',
      method: 'GET',
      path: '/p',
      access: 'anyone',
      needs: { raw },
      respond: async () => new Response(),
    });
    expect(() => definePlugin({ name: 'page-p', pages: [page] })).toThrow('page p of page-p must not need "raw"');
    expect(() => definePlugin({ name: 'service-s', needs: { raw } })).not.toThrow();
  });
});

test('schemas are small: no $schema, no bounds that restate the type or count characters, closed objects', () => {
  expect(tool.inputSchema).toEqual({
    type: 'object',
    properties: {
      repo: { type: 'string', description: 'Repository' },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 50, description: 'Most' },
      names: { type: 'array', maxItems: 2, items: { type: 'string' }, description: 'Names' },
      side: { type: 'string', enum: ['left', 'right'], description: 'Side' },
      exact: { type: 'boolean', description: 'Exact' },
    },
    required: ['repo'],
    additionalProperties: false,
  });
});

test('an argument that is not listed is accepted, and no error names it', async () => {
  const either = defineTool({
    name: 'either',
    title: '',
    description: '',
    endpoints: [],
    needs: {},
    input: z.object({
      count: z.int().default(1).describe('Most'),
      limit: unlisted(z.int().max(9).describe('Most').optional()),
    }),
    output: z.object({ most: z.int() }),
    run: async ({ count, limit }) => ({ most: limit ?? count }),
    toText: () => '',
  });
  expect(Object.keys(either.inputSchema.properties ?? {})).toEqual(['count']);
  expect((await runTool(either, { input: { limit: '5' } })).structured).toEqual({ most: 5 });
  await expect(runTool(either, { input: { limit: 10 } })).rejects.toThrow(
    'Argument "limit": must be at most 9, got 10. Valid arguments: count.',
  );
});

test('a name that can mean only one argument is taken for it', () => {
  expect(tool.parseInput({ repo: 'a', Limit: 5, name: 'b' })).toMatchObject({ limit: 5, names: ['b'] });
  expect(() => tool.parseInput({ repo: 'a', limit: 5, LIMIT: 6 })).toThrow('Unknown argument "LIMIT".');
});
