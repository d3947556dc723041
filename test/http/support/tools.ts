import { SextantError, definePlugin, defineTool } from '@sextant/core';
import type { Call, Plugin } from '@sextant/core';
import { z } from 'zod';

const lines = Array.from({ length: 200 }, (_, line) => `${line + 1}:   const value${line} = compute(${line});`).join(
  '\n',
);

/** A tool that answers as long a text as a file of 200 lines, twice: as structure and as text. */
export const readLines = defineTool({
  name: 'read_lines',
  title: 'Read lines',
  description: 'Reads the lines of a file that does not exist.',
  endpoints: ['default'],
  needs: {},
  input: z.object({
    path: z.string().describe('Path of the file'),
    limit: z.int().min(1).max(200).default(200).describe('Lines'),
  }),
  output: z.object({ path: z.string(), content: z.string() }),
  run: async ({ path }) => ({ path, content: lines }),
  toText: ({ content }) => content,
});

/** A tool that throws what a caller may be told. */
export const missing = defineTool({
  name: 'missing',
  title: 'Find nothing',
  description: 'Always fails.',
  endpoints: ['default'],
  needs: {},
  input: z.object({}),
  output: z.object({}),
  run: async () => {
    throw new SextantError('not_found', 'repository "x" does not exist; list_repos has the names');
  },
  toText: () => '',
});

/** Only on the endpoints that have every tool. */
export const whoami = defineTool({
  name: 'whoami',
  title: 'Who am I',
  description: 'Tells who calls, and through which program.',
  endpoints: [],
  needs: {},
  input: z.object({}),
  output: z.object({ user: z.string(), client: z.string(), endpoint: z.string() }),
  run: async (_, __, { caller, clientName, endpoint }) => ({
    user: caller.user.name,
    client: clientName ?? '',
    endpoint,
  }),
  toText: ({ user, client }) => `${user} through ${client}`,
});

/** A tool that runs until it is told to stop, and the calls of it that began and were stopped. */
export function waitingTool(): { plugin: Plugin; calls: Call[]; began: () => Promise<Call> } {
  const calls: Call[] = [];
  let arrived = Promise.withResolvers<Call>();
  const wait = defineTool({
    name: 'wait',
    title: 'Wait',
    description: 'Waits until it is stopped.',
    endpoints: ['default'],
    needs: {},
    input: z.object({}),
    output: z.object({}),
    run: (_, __, call) => {
      calls.push(call);
      arrived.resolve(call);
      arrived = Promise.withResolvers();
      return new Promise((_resolve, reject) => call.signal.addEventListener('abort', () => reject(call.signal.reason)));
    },
    toText: () => '',
  });
  return { plugin: definePlugin({ name: 'tool-wait', tools: [wait] }), calls, began: () => arrived.promise };
}

/** A tool that tells how far it has come, more often and less orderly than a client wants to know. */
export const steps = defineTool({
  name: 'steps',
  title: 'Take steps',
  description: 'Reports its steps.',
  endpoints: ['default'],
  needs: {},
  input: z.object({}),
  output: z.object({ done: z.boolean() }),
  run: async (_, __, call) => {
    for (const progress of [1, 3, 2, 3, 4]) call.reportProgress({ progress, total: 4, message: `step ${progress}` });
    return { done: true };
  },
  toText: () => 'done',
});

export const tools = definePlugin({ name: 'tool-fixtures', tools: [readLines, missing, whoami, steps] });
