import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { definePlugin } from '../plugins/plugin.ts';
import type { Plugin } from '../plugins/plugin.ts';
import { Registry } from './registry.ts';
import { definePrompt } from './prompt.ts';
import type { Prompt } from './prompt.ts';
import { defineResource } from './resource.ts';
import type { Resource } from './resource.ts';
import { defineTool } from './tool.ts';
import type { Placement } from './tool.ts';

const tools: Readonly<Record<string, readonly Placement[]>> = {
  read_file: ['default'],
  list_refs: [],
  deepsearch: ['deepsearch'],
  deepsearch_read: ['default', 'deepsearch'],
  code_finder: ['default'],
  nls_search: [{ endpoint: 'default', unless: 'code_finder' }],
};

function pluginOf(name: string, tool: string, endpoints: readonly Placement[]): Plugin {
  const declared = defineTool({
    name: tool,
    title: '',
    description: '',
    endpoints,
    needs: {},
    input: z.object({}),
    output: z.object({}),
    run: async () => ({}),
    toText: () => '',
  });
  return definePlugin({ name, tools: [declared] });
}

const plugins = Object.entries(tools).map(([tool, endpoints]) =>
  pluginOf(`tool-${tool.replaceAll('_', '-')}`, tool, endpoints),
);
const without = (name: string): Plugin[] => plugins.filter((plugin) => plugin.name !== name);
const namesOn = (registry: Registry, endpoint: string): string[] | undefined =>
  registry.list(endpoint)?.map(({ name }) => name);

describe('endpoints', () => {
  const registry = new Registry({ plugins });

  test.each([
    ['/.api/mcp', ['code_finder', 'deepsearch_read', 'read_file']],
    ['/.api/mcp/all', ['code_finder', 'deepsearch', 'deepsearch_read', 'list_refs', 'nls_search', 'read_file']],
    ['/.api/mcp/deepsearch', ['deepsearch', 'deepsearch_read']],
  ])('%s has its tools in alphabetical order', (endpoint, names) => {
    expect(namesOn(registry, endpoint)).toEqual(names);
  });

  test('the older path has all tools, also under sg_<name>', () => {
    const all = namesOn(registry, '/.api/mcp/all') ?? [];
    expect(namesOn(registry, '/.api/mcp/v1')).toEqual([...all, ...all.map((name) => `sg_${name}`)].toSorted());
    expect(registry.find('/.api/mcp/v1', 'sg_read_file')?.tool.name).toBe('read_file');
    expect(registry.find('/.api/mcp/all', 'sg_read_file')).toBeUndefined();
  });

  test('any other path is none', () => {
    expect(registry.list('/.api/mcp/other')).toBeUndefined();
    expect(registry.find('/.api/mcp/other', 'read_file')).toBeUndefined();
  });
});

describe('nls_search is on the default endpoint only while code_finder is disabled or not loaded', () => {
  test('disabled', () => {
    expect(namesOn(new Registry({ plugins, disabledTools: ['code_finder'] }), '/.api/mcp')).toContain('nls_search');
  });

  test('not loaded', () => {
    expect(namesOn(new Registry({ plugins: without('tool-code-finder') }), '/.api/mcp')).toContain('nls_search');
  });
});

test('a disabled tool vanishes from every endpoint, under its alias too', () => {
  const registry = new Registry({
    plugins,
    disabledTools: ['read_file'],
    endpoints: { '/.api/mcp/review': ['read_file', 'list_refs'] },
  });
  for (const endpoint of registry.endpoints) {
    expect(registry.find(endpoint, 'read_file')).toBeUndefined();
    expect(registry.find(endpoint, 'sg_read_file')).toBeUndefined();
  }
  expect(namesOn(registry, '/.api/mcp/review')).toEqual(['list_refs']);
});

test('operators may add endpoints of their own', () => {
  const registry = new Registry({ plugins, endpoints: { '/.api/mcp/review': ['read_file', 'list_refs'] } });
  expect(namesOn(registry, '/.api/mcp/review')).toEqual(['list_refs', 'read_file']);
});

test('an endpoint that names an unknown tool is refused with the nearest name', () => {
  expect(() => new Registry({ plugins, endpoints: { '/.api/mcp/review': ['read_fil'] } })).toThrow(
    'endpoints: "/.api/mcp/review" names the tool "read_fil", which no plugin brings. Did you mean "read_file"? Loaded: read_file, ',
  );
});

test('two plugins with one tool name are refused by name', () => {
  expect(() => new Registry({ plugins: [...plugins, pluginOf('tool-mine', 'read_file', [])] })).toThrow(
    'plugins tool-read-file and tool-mine both have a tool named read_file; switch one off',
  );
});

describe('resources and prompts', () => {
  const resource = (name: string, withTools: readonly string[]): Resource =>
    defineResource({
      name,
      title: '',
      description: '',
      uri: `x://${name}`,
      withTools,
      needs: {},
      read: async () => ({ mimeType: 'text/plain', text: '' }),
    });
  const prompt = (name: string, withTools: readonly string[]): Prompt =>
    definePrompt({ name, title: '', description: '', input: z.object({}), withTools, text: () => '' });
  const more = definePlugin({
    name: 'more',
    resources: [resource('everywhere', []), resource('a_file', ['read_file'])],
    prompts: [prompt('research', ['deepsearch']), prompt('both', ['read_file', 'deepsearch_read'])],
  });
  const on = (registry: Registry, endpoint: string): string[] =>
    [...registry.resources(endpoint), ...registry.prompts(endpoint)].map(({ name }) => name);

  test('stand where all of their tools do', () => {
    const registry = new Registry({ plugins: [...plugins, more], endpoints: { '/.api/mcp/refs': ['list_refs'] } });
    expect(on(registry, '/.api/mcp')).toEqual(['a_file', 'everywhere', 'both']);
    expect(on(registry, '/.api/mcp/deepsearch')).toEqual(['everywhere', 'research']);
    expect(on(registry, '/.api/mcp/all')).toEqual(['a_file', 'everywhere', 'both', 'research']);
    expect(on(registry, '/.api/mcp/refs')).toEqual(['everywhere']);
  });

  test('vanish with a tool that is disabled', () => {
    const registry = new Registry({ plugins: [...plugins, more], disabledTools: ['read_file'] });
    expect(on(registry, '/.api/mcp/all')).toEqual(['everywhere', 'research']);
  });

  test('have names of their own, each kind by itself', () => {
    const other = definePlugin({ name: 'other', resources: [resource('everywhere', [])] });
    expect(() => new Registry({ plugins: [more, other] })).toThrow(
      'plugins more and other both have a resource named everywhere; switch one off',
    );
    const same = definePlugin({ name: 'same', prompts: [prompt('everywhere', [])] });
    expect(() => new Registry({ plugins: [more, same] })).not.toThrow();
  });
});

test('a tool without a function that it needs names what it has instead', () => {
  const definition = {
    name: 'count',
    title: '',
    description: '',
    endpoints: [],
    needs: {},
    input: z.object({}),
    output: z.object({}),
    run: async () => ({}),
    toTxt: () => '',
  };
  // What JavaScript, or an editor without types, lets through.
  expect(() => defineTool(definition as unknown as Parameters<typeof defineTool>[0])).toThrow(
    'tool count needs a function toText; it has "toTxt"',
  );
  const { input: _input, ...without } = definition;
  expect(() => defineTool(without as unknown as Parameters<typeof defineTool>[0])).toThrow(
    'tool count needs input, a schema such as z.object({ … }) of zod 4',
  );
});
