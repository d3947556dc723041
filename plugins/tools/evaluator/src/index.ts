import { Evaluator, noteLines } from '@sextant/contracts';
import { definePlugin, defineTool, visible } from '@sextant/core';
import { z } from 'zod';
import { outline } from './outline.ts';

const script = z.string().min(1).max(200_000).describe('Lua; what it returns is the result, what it prints the output');

const file = z.object({ name: z.string(), url: z.string(), bytes: z.int() });

const description = [
  'Runs a Lua 5.4 script over any number of searches and files: to count, join, or be exhaustive.',
  'search.keyword(query), .nls(query), .repos(name), .commits{…}, .diffs{…} find everything, as {matches={{repo,path,rev,line,text},…}, stats={matchCount,limitHit}};',
  'source.read_file{repo=,path=} has .text; source.list_files{…}; code.definition{…}, code.references{…}; tools.<name>{…} any tool, with its arguments and result;',
  'json.encode/decode; files.write(name, text): csv, json, svg, txt, md. 10 s, 64 MB, 100 searches, 1000 reads.',
].join(' ');

export const evaluator = defineTool({
  name: 'evaluator',
  title: 'Run a script',
  description,
  guidance:
    'For questions over many files, repositories or commits, run one script with evaluator instead of many calls.',
  endpoints: ['default'],
  needs: { evaluator: Evaluator },
  input: z.object({ script }),
  output: z.object({
    result: z.unknown().describe('Any JSON'),
    output: z.string(),
    files: z.array(file),
    stats: z.object({ searches: z.int(), reads: z.int(), limitHit: z.boolean() }),
    notes: z.array(z.string()).optional(),
  }),
  async run({ script }, { evaluator }, call) {
    const { files, notes, ...rest } = await evaluator.run(script, call);
    return { ...rest, files: [...files], ...(notes.length > 0 && { notes: [...notes] }) };
  },
  toText: ({ result, output, files, stats, notes = [] }) => {
    const cut = stats.limitHit ? ', some with more matches than they gave' : '';
    return [
      ...(output === '' ? [] : [visible(output.trimEnd())]),
      ...(result === null ? [] : [`result:\n${visible(outline(result))}`]),
      ...files.map(({ name, url, bytes }) => `file ${name} (${bytes} bytes): ${url}`),
      ...noteLines(notes),
      `[${stats.searches} searches${cut}, ${stats.reads} reads]`,
    ].join('\n');
  },
});

export default definePlugin({ name: 'tool-evaluator', tools: [evaluator] });
