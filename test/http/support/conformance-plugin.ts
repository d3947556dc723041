import { setTimeout } from 'node:timers/promises';
import { definePlugin, definePrompt, defineResource, defineTool } from '@sextant/core';
import type { Call, Plugin, Prompt, Resource, ResourceContent, ResourceVariables, Tool } from '@sextant/core';
import { z } from 'zod';

/** A tool that the conformance suite calls by its name and expects to answer a fixed text. */
const fixture = (name: string, text: string, work: (call: Call) => Promise<void> = async () => {}): Tool =>
  defineTool({
    name,
    title: name,
    description: `Fixture of the conformance suite: ${name}.`,
    endpoints: [],
    needs: {},
    input: z.object({}),
    output: z.object({ text: z.string() }),
    run: async (_, __, call) => {
      await work(call);
      return { text };
    },
    toText: (output) => output.text,
  });

const resource = (name: string, uri: string, read: (variables: ResourceVariables) => ResourceContent): Resource =>
  defineResource({
    name,
    title: name,
    description: `Fixture of the conformance suite: ${name}.`,
    uri,
    withTools: [],
    needs: {},
    read: async (variables) => read(variables),
  });

const prompt = (name: string, input: z.ZodObject, text: (input: Record<string, unknown>) => string): Prompt =>
  definePrompt({
    name,
    title: name,
    description: `Fixture of the conformance suite: ${name}.`,
    withTools: [],
    input,
    text,
  });

const argument = (name: string): z.ZodString => z.string().describe(`The ${name}`);

/** What the suite wants and a server of text can have. */
export const conformancePlugin: Plugin = definePlugin({
  name: 'tool-conformance',
  tools: [
    fixture('test_simple_text', 'This is a simple text response for testing.'),
    fixture('test_error_handling', '', async () => {
      throw new Error('This tool intentionally returns an error for testing');
    }),
    fixture('test_tool_with_progress', 'done', async (call) => {
      for (const progress of [0, 50, 100]) {
        call.reportProgress({ progress, total: 100 });
        await setTimeout(50);
      }
    }),
  ],
  resources: [
    resource('static_text', 'test://static-text', () => ({
      mimeType: 'text/plain',
      text: 'This is the content of the static text resource.',
    })),
    resource('static_binary', 'test://static-binary', () => ({ mimeType: 'image/png', bytes: new Uint8Array(8) })),
    resource('template', 'test://template/{id}/data', ({ id = '' }) => ({
      mimeType: 'application/json',
      text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    })),
  ],
  prompts: [
    prompt('test_simple_prompt', z.object({}), () => 'This is a simple prompt for testing.'),
    prompt(
      'test_prompt_with_arguments',
      z.object({ arg1: argument('first'), arg2: argument('second') }),
      ({ arg1, arg2 }) => `Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`,
    ),
  ],
});
