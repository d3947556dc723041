import { readFile, readdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { post } from '../support/rpc.ts';
import { serveTwoRepositories } from '../server/two-repositories.ts';
import type { TwoRepositories } from '../server/two-repositories.ts';

/** A JSON Schema as far as it matters here. */
interface Schema {
  type?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: boolean | Schema;
  $schema?: string;
}

interface WireTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Schema;
  outputSchema: Schema;
  annotations: { readOnlyHint: boolean };
}

const golden = new URL('./golden/', import.meta.url);
/** Values that the contract says are any JSON. */
const anyJson = ['evaluator output.result'];
const plainTypes = ['string', 'integer', 'number', 'boolean', 'array', 'object'];

let server: TwoRepositories;
let tools: WireTool[];
let listing: string;

beforeAll(async () => {
  server = await serveTwoRepositories();
  const response = await post(
    server.url,
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    { path: '/.api/mcp/all', token: server.adminToken },
  );
  listing = await response.text();
  ({ tools } = (JSON.parse(listing) as { result: { tools: WireTool[] } }).result);
});
afterAll(() => server[Symbol.asyncDispose]());

function* schemasIn(schema: Schema, path: string): Generator<[path: string, schema: Schema]> {
  yield [path, schema];
  for (const [name, property] of Object.entries(schema.properties ?? {})) yield* schemasIn(property, `${path}.${name}`);
  if (schema.items) yield* schemasIn(schema.items, `${path}[]`);
}

const eachSchema = (): [path: string, schema: Schema][] =>
  tools.flatMap(({ name, inputSchema, outputSchema }) => [
    ...schemasIn(inputSchema, `${name} input`),
    ...schemasIn(outputSchema, `${name} output`),
  ]);

test('each tool is defined on the wire as its golden file says (UPDATE=1 writes them anew)', async () => {
  if (process.env['UPDATE'] === '1')
    for (const tool of tools)
      await writeFile(new URL(`${tool.name}.json`, golden), `${JSON.stringify(tool, undefined, 2)}\n`);
  const files = (await readdir(fileURLToPath(golden))).toSorted();
  expect(tools.map(({ name }) => `${name}.json`)).toEqual(files);
  for (const tool of tools)
    expect(tool).toEqual(JSON.parse(await readFile(new URL(`${tool.name}.json`, golden), 'utf8')));
});

test('resources and prompts are defined on the wire as their golden file says (UPDATE=1 writes it anew)', async () => {
  const ask = async (method: string): Promise<object> => {
    const message = { jsonrpc: '2.0', id: 1, method };
    const response = await post(server.url, message, { path: '/.api/mcp/all', token: server.adminToken });
    return ((await response.json()) as { result: object }).result;
  };
  const found = {
    ...(await ask('resources/list')),
    ...(await ask('resources/templates/list')),
    ...(await ask('prompts/list')),
  };
  const file = new URL('resources-and-prompts.json', import.meta.url);
  if (process.env['UPDATE'] === '1') await writeFile(file, `${JSON.stringify(found, undefined, 2)}\n`);
  expect(found).toEqual(JSON.parse(await readFile(file, 'utf8')));
});

describe('tools/list', () => {
  test('is in alphabetical order', () => {
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
  });

  test('is small: all sixteen fit 6,000 tokens, counted by bytes/4, and leave room for those that are not there yet', () => {
    const [share, smallest] = [6000 / 16, 300];
    for (const tool of tools)
      expect([tool.name, Buffer.byteLength(JSON.stringify(tool)) / 4 < share * 1.6]).toEqual([tool.name, true]);
    expect(Buffer.byteLength(listing) / 4).toBeLessThan(6000 - smallest * (16 - tools.length));
  });

  test('has a title, a description and a read-only hint for every tool', () => {
    for (const tool of tools)
      expect(tool).toMatchObject({
        title: expect.stringMatching(/./),
        description: expect.stringMatching(/\.$/),
        annotations: { readOnlyHint: true },
      });
  });

  test('has only plain single types, no $schema, and closed objects', () => {
    for (const [path, schema] of eachSchema().filter(([path]) => !anyJson.includes(path))) {
      expect([path, plainTypes.includes(String(schema.type))]).toEqual([path, true]);
      expect([path, schema.$schema]).toEqual([path, undefined]);
      if (schema.type === 'object') expect([path, schema.additionalProperties]).toEqual([path, false]);
    }
  });

  test('describes every property of every input', () => {
    for (const { name, inputSchema } of tools)
      for (const [property, { description }] of Object.entries(inputSchema.properties ?? {}))
        expect([name, property, description ?? '']).toEqual([name, property, expect.stringMatching(/^[A-Z]/)]);
  });
});

test('the instructions group the tools by the steps of the work', async () => {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  const response = await post(server.url, message, { path: '/.api/mcp/all', token: server.adminToken });
  const { instructions } = ((await response.json()) as { result: { instructions: string } }).result;
  const lines = instructions.split('\n').slice(1, 6);
  const steps = lines.map((line) => line.slice(0, line.indexOf(':')));
  expect(steps).toEqual(['Begin', 'Find', 'Follow', 'History', 'Exhaustive']);
  for (const { name } of tools) expect([name, lines.some((line) => line.includes(name))]).toEqual([name, true]);
});
