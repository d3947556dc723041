import { Credits, LanguageModel, Links, Researcher, repo, revision } from '@sextant/contracts';
import type { ResearchLocation } from '@sextant/contracts';
import { definePlugin, defineTool, oneLine, optional, unlisted, visible } from '@sextant/core';
import { z } from 'zod';

const creditsOfCall = 1;
/** Below the minute that a call may take, so that a slow model leaves time for the answer without it. */
const maxSeconds = 45;

const task = z
  .string()
  .min(1)
  .max(200_000)
  .describe(
    'The whole task with its repository: "In acme/shop: retry failed payments". Names, paths and error texts help',
  );

const location = z.object({
  repo: z.string(),
  path: z.string(),
  startLine: z.int(),
  endLine: z.int(),
  url: z.string(),
  reason: z.string(),
});

export const codeFinder = defineTool({
  name: 'code_finder',
  title: 'Find code',
  description:
    'Finds the places in one repository that a task is about: a change to make, a bug, a stack trace. The task must name the repository.',
  guidance:
    'To find where a change is to be made in a repository that you know, give code_finder the whole task first.',
  endpoints: ['default'],
  activity: 'research',
  needs: { model: optional(LanguageModel), researcher: Researcher, credits: Credits, links: Links },
  input: z.object({ task, revision, repo: unlisted(repo.optional()) }),
  output: z.object({ summary: z.string(), locations: z.array(location) }),
  async run({ task, revision, repo }, { model, researcher, credits, links }, call) {
    const hold = await credits.reserve(call, { tool: 'code_finder', credits: creditsOfCall });
    const asked = { task, ...(repo !== undefined && { repo }), ...(revision !== undefined && { revision }) };
    try {
      const { signal, reportProgress } = call;
      const work = { signal, reportProgress, maxSeconds };
      const { summary, locations } = await (model ?? researcher).locate(call.caller, asked, work);
      await hold.settle();
      return { summary, locations: locations.map((found) => shown(found, links)) };
    } finally {
      await hold[Symbol.asyncDispose]();
    }
  },
  toText: ({ summary, locations }) => [visible(summary), ...filesText(locations)].join('\n\n'),
  filesOf: ({ locations }) => [...new Set(locations.map(({ path }) => path))],
});

function shown(
  { repo, path, revision, startLine, endLine, reason }: ResearchLocation,
  links: Links,
): z.input<typeof location> {
  const url = links.file({ repo, path, startLine, endLine, ...(revision !== undefined && { revision }) });
  return { repo, path, startLine, endLine, url, reason };
}

/** A line for each file: why it is there, and which lines. */
function filesText(locations: readonly z.output<typeof location>[]): string[] {
  const files = [...Map.groupBy(locations, ({ repo, path }) => `${repo} ${path}`)];
  const lines = files.map(([file, found]) => {
    const ranges = found.map(({ startLine, endLine }) => `${startLine}-${endLine}`);
    return oneLine(`${file}:${ranges.join(',')} (${found[0]?.reason})`);
  });
  return lines.length === 0 ? [] : [lines.join('\n')];
}

export default definePlugin({ name: 'tool-code-finder', tools: [codeFinder] });
