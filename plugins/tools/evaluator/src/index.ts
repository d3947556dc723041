import { Evaluator, noteLines } from '@sextant/contracts';
import { definePlugin, defineTool, visible, oneLine } from '@sextant/core';
import { z } from 'zod';

const script = z.string().min(1).max(200_000).describe('Lua; what it returns is the result, what it prints the output');

const file = z.object({ name: z.string(), url: z.string(), bytes: z.int() });

const description = [
  'Runs a Lua 5.4 script over any number of searches and files: to count, join, or be exhaustive.',
  'search.keyword(query), .nls(query), .repos(name), .commits{…}, .diffs{…} find everything, as {matches={{repo,path,rev,line,text},…}, stats={matchCount,limitHit}};',
  'of commits and diffs also author, date; message, files; title, side (a match for each changed line);',
  'source.read_file{repo=,path=} has .text; source.list_files{…}; code.definition{…}, code.references{…}; tools.<name>{…} any tool, with its arguments and result;',
  'json.encode/decode; files.write(name, text): csv, json, svg, txt, md. 10 s, 64 MB, 100 searches, 1000 reads.',
].join(' ');

export const evaluator = defineTool({
  name: 'evaluator',
  title: 'Run a script',
  description,
  guidance: { exhaust: 'evaluator, to count, join or go through everything with one script instead of many calls.' },
  endpoints: ['default'],
  activity: 'script',
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
  rest: 'return less, or write it with files.write and give the address',
  cuts: { of: [['result'], ['output']] },
  toText: ({ result, output, files, stats, notes = [] }) => {
    const cut = stats.limitHit ? ', some incomplete: see their stats' : '';
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

const empty = '(empty)';
/** Tables of plain values that are longer are shown line by line. */
const widest = 200;

/** JSON as indented lines: `key: value`, `- item`; a short table of plain values is one line. */
function outline(value: unknown, indent = ''): string {
  if (!isTable(value)) return indent + indented(value, indent);
  const items = itemsOf(value, '-');
  if (items.length === 0) return indent + empty;
  return items.map(([label, item]) => indent + label + below(item, indent)).join('\n');
}

/** Behind its label, or on lines of its own. */
function below(item: unknown, indent: string): string {
  const line = inline(item, indent);
  return line === undefined ? `\n${outline(item, `${indent}  `)}` : ` ${line}`;
}

/** What fits on one line: plain values, and tables of them. */
function inline(value: unknown, indent: string): string | undefined {
  if (!isTable(value)) return indented(value, `${indent}  `);
  const items = itemsOf(value, '');
  if (items.length === 0) return empty;
  if (items.some(([, item]) => isTable(item))) return undefined;
  const line = items.map(([label, item]) => (label === '' ? String(item) : `${label} ${String(item)}`)).join(', ');
  return line.length <= widest && !line.includes('\n') ? line : undefined;
}

const itemsOf = (value: object, bullet: string): [label: string, item: unknown][] =>
  Array.isArray(value)
    ? value.map((item) => [bullet, item])
    : Object.entries(value).map(([key, item]) => [`${oneLine(key)}:`, item]);

const isTable = (value: unknown): value is object => typeof value === 'object' && value !== null;

const indented = (value: unknown, indent: string): string => String(value).replaceAll('\n', `\n${indent}`);
