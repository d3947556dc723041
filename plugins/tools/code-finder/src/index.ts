import { Credits, LanguageModel, Links, Researcher, repo, revision } from '@sextant/contracts';
import type { ResearchLocation } from '@sextant/contracts';
import { definePlugin, definePrompt, defineTool, oneLine, optional, unlisted, visible } from '@sextant/core';
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
  within: z.string().optional(),
  best: z.object({ line: z.int(), text: z.string() }).optional(),
});

export const codeFinder = defineTool({
  name: 'code_finder',
  title: 'Find code',
  description:
    'Finds the places in one repository that a task is about: a change to make, a bug, a stack trace. The task must name the repository.',
  guidance: { find: 'code_finder, for where to make a change in a repository that you know: give it the whole task.' },
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
      for (const found of locations) call.noteRepository?.(found.repo);
      return { summary, locations: locations.map((found) => shown(found, links)) };
    } finally {
      await hold[Symbol.asyncDispose]();
    }
  },
  toText: ({ summary, locations }) => [visible(summary), filesText(locations).join('\n')].join('\n\n').trimEnd(),
  filesOf: ({ locations }) => [...new Set(locations.map(({ path }) => path))],
});

function shown(
  { repo, path, revision, startLine, endLine, reason, within, best }: ResearchLocation,
  links: Links,
): z.input<typeof location> {
  const url = links.file({ repo, path, startLine, endLine, ...(revision !== undefined && { revision }) });
  return {
    repo,
    path,
    startLine,
    endLine,
    url,
    reason,
    ...(within !== undefined && { within }),
    ...(best && { best }),
  };
}

/** A heading for each file, with the link to its best place; below it each place with its best line, or why it is there. */
function filesText(locations: readonly z.output<typeof location>[]): string[] {
  const files = [...Map.groupBy(locations, ({ repo, path }) => `${repo} – ${path}`)];
  return files.map(([file, found]) => [`# ${file} ${found[0]?.url}`, ...found.map(placeText)].map(oneLine).join('\n'));
}

function placeText({ startLine, endLine, within, best, reason }: z.output<typeof location>): string {
  const place = `${startLine}-${endLine}${within === undefined ? '' : ` in ${within}`}`;
  return best ? `${place} | ${best.line}: ${best.text}` : `${place} | ${reason}`;
}

export const findWhere = definePrompt({
  name: 'find_where',
  title: 'Find where something is',
  description: 'Finds the code that something is about, and explains it with links to files and lines.',
  input: z.object({
    repo: z.string().min(1).max(1000).describe('Repository name'),
    what: z.string().min(1).max(10_000).describe('What to find: behaviour, an error text, a change to make'),
  }),
  withTools: ['code_finder', 'read_file'],
  text: ({ repo, what }) =>
    `In the repository ${repo}, find where this is: ${what}\n\nGive code_finder the whole task with the repository. Read the places it names with read_file before you answer. Say for each place in one sentence what it does, with its path and lines. Say so if nothing fits.`,
});

export default definePlugin({ name: 'tool-code-finder', tools: [codeFinder], prompts: [findWhere] });
