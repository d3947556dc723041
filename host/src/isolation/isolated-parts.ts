import { SextantError, defineResource, silentLogger } from '@sextant/core';
import type { Call, Needs, Page, Prompt, Report, Resolved, Resource, Token, Tool } from '@sextant/core';
import { z } from 'zod';
import { pageAnswer, sentRequest } from './isolated-page.ts';
import type { AnswerOf, DescribedNeeds, Description } from './messages.ts';
import { plainSchema } from './plain-schema.ts';
import { RunningPlugin } from './running-plugin.ts';

/** What the parts of an isolated plugin know of it. */
export interface IsolatedPluginOf {
  running: Token<RunningPlugin>;
  /** What the server gives a part with these needs, by the names of the tokens. */
  needsOf(needs: DescribedNeeds): Needs;
  /** The process that was started last. */
  latest(): RunningPlugin | undefined;
}

interface IsolatedParts {
  tools: Tool[];
  reports: Report[];
  pages: Page[];
  resources: Resource[];
  prompts: Prompt[];
}

/** What an isolated plugin brings, as the registry and the host have it: each runs in the plugin's process. */
export function isolatedParts(described: Description, plugin: IsolatedPluginOf): IsolatedParts {
  return {
    tools: described.tools.map((tool) => isolatedTool(tool, plugin)),
    reports: described.reports.map((report) => isolatedReport(report, plugin)),
    pages: described.pages.map((page) => isolatedPage(page, plugin)),
    resources: described.resources.map((resource) => isolatedResource(resource, plugin)),
    prompts: described.prompts.map((prompt) => isolatedPrompt(prompt, plugin)),
  };
}

/** Key under which a part gets the process that it runs in. */
const processKey = 'process of the plugin';

const withProcess = ({ needs }: { needs: DescribedNeeds }, plugin: IsolatedPluginOf): Needs => ({
  ...plugin.needsOf(needs),
  [processKey]: plugin.running,
});

function split({ [processKey]: plugin, ...services }: Resolved<Needs>): {
  plugin: RunningPlugin;
  services: Resolved<Needs>;
} {
  if (plugin instanceof RunningPlugin) return { plugin, services };
  throw new Error('the process of the plugin is not there');
}

function isolatedTool(described: Description['tools'][number], of: IsolatedPluginOf): Tool {
  const { name } = described;
  const output = plainSchema(described.outputSchema);
  const answers = new WeakMap<object, AnswerOf<'tool'>>();
  const answerFor = (structured: unknown): AnswerOf<'tool'> | undefined =>
    typeof structured === 'object' && structured !== null ? answers.get(structured) : undefined;
  return {
    ...described,
    needs: withProcess(described, of),
    // The plugin checks its arguments itself.
    parseInput: (given) => given ?? {},
    async run(input, given, call) {
      const { plugin, services } = split(given);
      const answer = await plugin.run({ work: { kind: 'tool', name, input }, services, call });
      answers.set(answer.structured, answer);
      return answer.structured;
    },
    parseOutput(structured) {
      const parsed = output.safeParse(structured);
      const answer = answerFor(structured);
      if (!parsed.success || !answer) throw new Error(`the answer is not as declared: ${parsed.error?.message ?? ''}`);
      return answer.structured;
    },
    toText: (structured) => answerFor(structured)?.text ?? '',
    filesOf: (structured) => answerFor(structured)?.files ?? [],
  };
}

/** The plugin checks the values of the parameters; their names are checked here. */
function isolatedReport({ inputSchema, ...described }: Description['reports'][number], of: IsolatedPluginOf): Report {
  const { name } = described;
  const required = new Set(inputSchema.required);
  const parameters = Object.keys(inputSchema.properties ?? {}).map((parameter) => [
    parameter,
    required.has(parameter) ? z.string() : z.string().optional(),
  ]);
  return {
    ...described,
    query: z.strictObject(Object.fromEntries(parameters)),
    needs: withProcess(described, of),
    columns: (query) => {
      const plugin = of.latest();
      if (!plugin) throw new SextantError('unavailable', `the report ${name} has not started`);
      return plugin.run({ work: { kind: 'columns', name, query }, services: {}, call: ofNobody() });
    },
    async *rows(query, given, call) {
      const { plugin, services } = split(given);
      yield* plugin.rows({ work: { kind: 'report', name, query }, services, call });
    },
  };
}

function isolatedPage({ access, link, ...described }: Description['pages'][number], of: IsolatedPluginOf): Page {
  const { name } = described;
  return {
    ...described,
    access:
      access === 'anyone'
        ? access
        : { scope: access.scope, ...(access.permission && { permission: access.permission }) },
    ...(link && { link }),
    // Files of repositories are at such paths.
    accepts: (pathname) => !pathname.includes('/-/'),
    needs: withProcess(described, of),
    async respond(request, given, call) {
      const { plugin, services } = split(given);
      const sent = await sentRequest(request);
      return pageAnswer(name, await plugin.run({ work: { kind: 'page', name, request: sent }, services, call }));
    },
  };
}

function isolatedResource(
  { mimeType, ...described }: Description['resources'][number],
  of: IsolatedPluginOf,
): Resource {
  const { name } = described;
  const files = new WeakMap<object, readonly string[]>();
  return defineResource({
    ...described,
    ...(mimeType !== undefined && { mimeType }),
    needs: withProcess(described, of),
    async read(variables, given, call) {
      const { plugin, services } = split(given);
      const answer = await plugin.run({ work: { kind: 'resource', name, variables }, services, call });
      files.set(variables, answer.files);
      return answer.content;
    },
    complete(asked, given, call) {
      const { plugin, services } = split(given);
      return plugin.run({ work: { kind: 'completion', name, asked }, services, call });
    },
    filesOf: (variables) => files.get(variables) ?? [],
  });
}

const isolatedPrompt = (described: Description['prompts'][number], of: IsolatedPluginOf): Prompt => ({
  ...described,
  text: async (given) => {
    const plugin = of.latest();
    if (!plugin) throw new SextantError('unavailable', `the prompt ${described.name} has not started`);
    return plugin.run({ work: { kind: 'prompt', name: described.name, given }, services: {}, call: ofNobody() });
  },
});

const nobodyMs = 10_000;

/** What surrounds a question that is asked in nobody's name: it has no services. */
const ofNobody = (): Call => ({
  caller: {
    user: { id: 0, name: '', isServiceAccount: false, isSiteAdmin: false },
    roles: new Set(),
    permissions: new Set(),
    scopes: new Set(),
    credential: 'anonymous',
  },
  endpoint: '',
  signal: AbortSignal.timeout(nobodyMs),
  log: silentLogger,
  reportProgress() {},
});
