import { runGuarded, silentLogger } from '@sextant/core';
import type { Call, Outcome, Tool } from '@sextant/core';
import { sampleArguments } from './sample-arguments.ts';
import { sample } from './sample-server.ts';
import type { SampleServer } from './sample-server.ts';

/** One thing that a tool should do. `run` answers what is wrong, or undefined. */
export interface ToolCheck {
  readonly name: string;
  run(tool: Tool, server: SampleServer): Promise<string | undefined>;
}

/** A share of the budget of the list of all tools, in tokens of four bytes. */
const mostTokens = 600;
const stopSeconds = 5;

export const toolChecks: readonly ToolCheck[] = [
  { name: 'description', run: async ({ description }) => descriptionProblem(description) },
  { name: 'token budget', run: async (tool) => budgetProblem(tool) },
  {
    name: 'answer',
    run: async (tool, server) => answerProblem(await run(tool, server, sampleArguments(tool.inputSchema))),
  },
  { name: 'wrong arguments', run: wrongArguments },
  { name: 'odd values', run: oddValues },
  { name: 'cancellation', run: cancellation },
  { name: 'hidden repositories', run: hiddenRepositories },
];

function descriptionProblem(description: string): string | undefined {
  if (description.length < 20) return 'the description should say in a sentence when to choose the tool';
  return /[.!?]$/.test(description) ? undefined : 'the description should be sentences that end with a full stop';
}

function budgetProblem({ name, title, description, inputSchema, outputSchema }: Tool): string | undefined {
  const tokens = Math.ceil(JSON.stringify({ name, title, description, inputSchema, outputSchema }).length / 4);
  if (tokens <= mostTokens) return undefined;
  return `its definition takes about ${tokens} tokens of every agent that lists it; ${mostTokens} are allowed. Shorten descriptions`;
}

/** An error that a caller may see is an answer too: the sample may not have what the tool needs. */
function answerProblem(outcome: Outcome): string | undefined {
  if (!outcome.ok) return outcome.error.code === 'internal' ? bug(outcome) : undefined;
  if (outcome.text.trim() === '') return 'toText gave nothing to read';
  return /^\s*[{[]/.test(outcome.text) && isJson(outcome.text) ? 'toText gave JSON; write it for a reader' : undefined;
}

async function wrongArguments(tool: Tool, server: SampleServer): Promise<string | undefined> {
  const outcome = await run(tool, server, { ...sampleArguments(tool.inputSchema), notAnArgument: 1 });
  if (!outcome.ok && outcome.error.message.includes('notAnArgument')) return undefined;
  return 'an argument that it does not have should be refused by name';
}

async function oddValues(tool: Tool, server: SampleServer): Promise<string | undefined> {
  const usual = sampleArguments(tool.inputSchema);
  const texts = Object.entries(usual).filter(([, value]) => typeof value === 'string');
  for (const [name] of texts)
    for (const odd of ['', '\0', '--output=/tmp/x', '../../etc/passwd', 'x'.repeat(10_000), '\u{1F600}'])
      if (bug(await run(tool, server, { ...usual, [name]: odd })))
        return `${name} = ${JSON.stringify(odd.slice(0, 20))} ended in an internal error instead of a clear one`;
  return undefined;
}

/** Of the tool itself, without the guard that would answer for it. */
async function cancellation(tool: Tool, server: SampleServer): Promise<string | undefined> {
  const reason = new Error('canceled');
  const call = callOf(server, AbortSignal.abort(reason));
  // The arguments may be wrong: nobody can make up one that matches any pattern.
  const run = async (): Promise<unknown> =>
    tool.run(tool.parseInput(sampleArguments(tool.inputSchema)), server.generation.servicesOf(tool), call);
  const running = run().then(
    () => undefined,
    () => undefined,
  );
  const late = new Promise<string>((resolve) =>
    setTimeout(
      () => resolve(`it was still running ${stopSeconds} s after it was canceled`),
      stopSeconds * 1000,
    ).unref(),
  );
  return Promise.race([running, late]);
}

async function hiddenRepositories(tool: Tool, server: SampleServer): Promise<string | undefined> {
  const usual = sampleArguments(tool.inputSchema);
  const asked = (name: string): Record<string, unknown> =>
    JSON.parse(JSON.stringify(usual).replaceAll(sample.open, name));
  if (!JSON.stringify(usual).includes(sample.open)) return undefined;
  const [hidden, missing] = [
    await run(tool, server, asked(sample.hidden)),
    await run(tool, server, asked(sample.missing)),
  ];
  return describe(hidden, sample.hidden) === describe(missing, sample.missing)
    ? undefined
    : 'a repository that the caller may not read is answered differently from one that does not exist';
}

function run(tool: Tool, server: SampleServer, input: unknown): Promise<Outcome> {
  const { generation } = server;
  const call = callOf(server, new AbortController().signal);
  return runGuarded({ tool, input, services: generation.servicesOf(tool), call, limits: generation.limits });
}

const callOf = ({ caller }: SampleServer, signal: AbortSignal): Call => ({
  caller,
  endpoint: '/.api/mcp/all',
  clientName: 'sextant plugin check',
  signal,
  log: silentLogger,
  reportProgress() {},
});

/** The answer with the name that was asked for left out. */
const describe = (outcome: Outcome, name: string): string =>
  (outcome.ok
    ? JSON.stringify(outcome.structured) + outcome.text
    : `${outcome.error.code} ${outcome.error.message}`
  ).replaceAll(name, '*');

function bug(outcome: Outcome): string | undefined {
  if (outcome.ok || outcome.error.code !== 'internal') return undefined;
  const { cause } = outcome.error;
  return `it failed with an error that no caller may see: ${cause instanceof Error ? cause.message : 'unknown'}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
