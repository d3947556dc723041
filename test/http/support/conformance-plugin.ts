import { setTimeout } from 'node:timers/promises';
import { definePlugin, defineTool } from '@sextant/core';
import type { Call, Plugin, Tool } from '@sextant/core';
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

/** The tools that the suite wants and that a server of text can have. */
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
});
