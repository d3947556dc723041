import { Toolbox, definePlugin, defineTool } from '@sextant/core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { call, post } from '../support/rpc.ts';
import { startServer } from './support/server.ts';

/** A tool that calls another one, as the evaluator does. */
const relay = defineTool({
  name: 'relay',
  title: 'Relay',
  description: 'Calls another tool.',
  endpoints: ['default'],
  needs: { toolbox: Toolbox },
  input: z.object({ tool: z.string().describe('Its name'), text: z.string().default('x').describe('Its argument') }),
  output: z.object({ names: z.array(z.string()), answer: z.string() }),
  async run({ tool, text }, { toolbox }, surrounding) {
    const { structured } = await toolbox.run(tool, { text }, surrounding);
    return { names: toolbox.tools.map(({ name }) => name), answer: String(structured['answer']) };
  },
  toText: ({ answer }) => answer,
});

const answering = (name: string, isReadOnly: boolean) =>
  defineTool({
    name,
    title: name,
    description: 'Answers with its caller.',
    endpoints: [],
    isReadOnly,
    needs: {},
    input: z.object({ text: z.string().max(5).describe('Anything') }),
    output: z.object({ answer: z.string() }),
    run: async ({ text }, _services, { caller }) => ({ answer: `${caller.user.name} ${text}` }),
    toText: ({ answer }) => answer,
  });

const plugin = definePlugin({
  name: 'tools-of-the-toolbox',
  tools: [relay, answering('greet', true), answering('change', false), answering('gone', true)],
});
const settings = { 'mcp.tools.disabled': ['gone'] };

async function ask(url: string, args: object): Promise<{ structuredContent?: object; content: { text: string }[] }> {
  const response = await post(url, call('relay', args));
  const { result } = (await response.json()) as { result: { content: { text: string }[] } };
  return result;
}

test('a tool calls the read-only tools that are enabled, as its own caller', async () => {
  await using server = await startServer({ plugins: [plugin], settings });
  expect(await ask(server.url, { tool: 'greet' })).toMatchObject({
    structuredContent: { names: ['greet', 'relay'], answer: 'alice x' },
  });
});

test.each(['change', 'gone', 'missing'])('%s is not in the toolbox', async (tool) => {
  await using server = await startServer({ plugins: [plugin], settings });
  const { content } = await ask(server.url, { tool });
  expect(content[0]?.text).toContain(`there is no tool "${tool}"`);
  expect(content[0]?.text).toContain('There are greet, relay.');
});

test('wrong arguments are refused in the words of the tool that was called', async () => {
  await using server = await startServer({ plugins: [plugin], settings });
  const { content } = await ask(server.url, { tool: 'greet', text: 'too long' });
  expect(content[0]?.text).toContain('"text"');
});

test('after a reload the toolbox has the tools of the new configuration', async () => {
  await using server = await startServer({ plugins: [plugin], settings });
  await server.reload({ plugins: [plugin] });
  expect(await ask(server.url, { tool: 'gone' })).toMatchObject({
    structuredContent: { names: ['gone', 'greet', 'relay'], answer: 'alice x' },
  });
});
