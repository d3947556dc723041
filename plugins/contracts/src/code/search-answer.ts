import { oneLine, unlisted } from '@sextant/core';
import type { Call } from '@sextant/core';
import { z } from 'zod';
import { limitForCount, repo } from './fields.ts';
import { defaultSearchLimits, hasMoreLines } from './search.ts';
import type { Chunk, FoundFile, MatchedLine, Search, SearchRequest, SearchResult } from './search.ts';
import type { OutlineEntry, Symbols } from './symbols.ts';
import type { Links } from '../pages/links.ts';
import { largestCount } from '../query/filter-values.ts';
import { parseQuery } from '../query/parse.ts';
import { repositoriesNamed } from '../query/query.ts';
import type { ParsedQuery, QueryOptions } from '../query/query.ts';

/**
 * Lines of a file, in the form that all tools share. `type` is file, or repo where repositories were asked for: then `file` is
 * empty. `rev` is as asked for, absent for the default branch. Descriptions would take tokens in the list of tools.
 */
export const fileBlock = z.object({
  type: z.string(),
  repo: z.string(),
  file: z.string(),
  rev: z.string().optional(),
  url: z.string(),
  chunks: z.array(
    z.object({ startLine: z.int(), endLine: z.int(), content: z.string().describe('Each line prefixed "<n>: "') }),
  ),
});
export type FileBlock = z.output<typeof fileBlock>;

/** A chunk with its numbers. */
export const numberedChunk = ({ startLine, endLine, lines }: Chunk): FileBlock['chunks'][number] => ({
  startLine,
  endLine,
  content: lines.map((line, index) => `${startLine + index}: ${line}`).join('\n'),
});

/** What a model reads: a heading per file, the lines below it, a gap between chunks. */
export const fileBlocksText = (blocks: readonly FileBlock[]): string =>
  blocks.map((block) => blockText(block)).join('\n\n');

function blockText(block: SearchBlock, remark = ''): string {
  const heading = oneLine(`# ${nameOf(block)}${block.file === '' ? '' : ` – ${block.file}`}${remark}`);
  return [heading, ...block.chunks.flatMap(chunkLines)].join('\n');
}

/** A gap, which also says what the lines below stand in. */
function chunkLines({ content, within }: SearchChunk, index: number, all: readonly SearchChunk[]): string[] {
  const said = within === undefined || within === all[index - 1]?.within ? [] : [`in ${within}`];
  const gap = [...(index > 0 ? ['…'] : []), ...said].join(' ');
  return [...(gap === '' ? [] : [oneLine(gap)]), content];
}

/** Remarks as answers end with them. */
export const noteLines = (notes: readonly string[]): string[] => notes.map((note) => oneLine(`[${note}]`));

/** `within` names the definition around the lines, with its own lines. */
const searchChunk = fileBlock.shape.chunks.element.extend({
  within: z.string().optional(),
});
type SearchChunk = z.output<typeof searchChunk>;

/** A file that a search found, how many of its lines match, and how many of these its chunks show. Only files have counts. */
export const searchBlock = fileBlock.extend({
  chunks: z.array(searchChunk),
  matchCount: z.int().optional(),
  matchesShown: z.int().optional(),
});
type SearchBlock = z.output<typeof searchBlock>;

/** What the search tools answer with. The counts include what is not shown; they are lower bounds where `limitHit`. */
export const searchAnswer = z.object({
  blocks: z.array(searchBlock),
  matchCount: z.int(),
  fileCount: z.int().optional(),
  limitHit: z.boolean(),
  notSearched: z.object({ files: z.int(), reasons: z.array(z.string()) }).optional(),
  notes: z.array(z.string()).optional(),
});
export type SearchAnswer = z.output<typeof searchAnswer>;

/** Lines of a search that fit into a text, with its headings. In UTF-16 code units. */
const charactersOfToolAnswer = 48_000;
/** More than any file shows. */
const allChunks = 10_000;

/** What the search tools take. `limit` stands for `count:` in the query, `repo` for the name of a repository there. */
export const searchFields = (description: string) => ({
  query: z.string().min(1).max(8192).describe(description),
  limit: limitForCount(largestCount),
  repo: unlisted(repo.optional()),
});

interface AskedQuery {
  readonly query: string;
  readonly limit?: number | undefined;
  readonly repo?: string | undefined;
}

/** The query that is asked for. A `count:` of its own holds. */
export function askedQuery({ query: text, limit, repo: name }: AskedQuery): ParsedQuery {
  const { query, options, ...parsed } = parseQuery(text);
  return {
    ...parsed,
    query: name === undefined ? query : { kind: 'and', children: [repositoriesNamed([name]), query] },
    options: { ...(limit !== undefined && { count: limit }), ...options },
  };
}

/** Whether a query asks for more than is shown without `count:`. */
const wantsMore = (count: QueryOptions['count']): boolean =>
  count === 'all' || (count ?? 0) > defaultSearchLimits.files;

/** Matches of a keyword that are all shown, in however many files: an agent that asks for uses wants each. */
const fewMatches = 30;

/** Searches with the limits of a tool. Few matches, and those of a file that is left alone, are all shown as far as they fit. */
export async function findToShow(
  search: Search,
  asked: Omit<SearchRequest, 'limits'>,
  { caller, signal }: Pick<Call, 'caller' | 'signal'>,
): Promise<SearchResult> {
  const limits = { ...defaultSearchLimits, characters: charactersOfToolAnswer };
  const isShort = !wantsMore(asked.options.count);
  const first = { ...limits, ...(isShort && { chunkCharacters: shortChunk }) };
  const found = await search.find(caller, { ...asked, limits: first }, signal);
  if (asked.options.count !== undefined || !found.files.some(hasMoreLines)) return found;
  if (!isOneFile(found) && !hasFewMatches(found, asked.mode)) return found;
  return search.find(caller, { ...asked, limits: { ...limits, chunksPerFile: allChunks } }, signal);
}

const isOneFile = ({ type, fileCount }: SearchResult): boolean => type === 'file' && fileCount === 1;

const hasFewMatches = ({ type, matchCount, limitHit }: SearchResult, mode: SearchRequest['mode']): boolean =>
  type === 'file' && mode === 'keyword' && !limitHit && matchCount <= fewMatches;

interface AnswerCall extends Pick<Call, 'caller' | 'signal'> {
  readonly links: Links;
  /** Names what lines stand in, where it is there. */
  readonly symbols: Symbols | undefined;
}

/** Searches and answers as both search tools do. */
export async function answerFor(
  search: Search,
  asked: Omit<SearchRequest, 'limits'>,
  { links, symbols, ...call }: AnswerCall,
): Promise<SearchAnswer> {
  const found = await findToShow(search, asked, call);
  const { count } = asked.options;
  const outlines = wantsMore(count) ? [] : await outlinesOf(found, symbols, call);
  return answerOf(found, { count, mode: asked.mode, links, outlines });
}

/** Files that are shown with the lines around their matches where the query does not say how many; of others one line is shown. */
const filesWithContext = 5;
/** Of each of them but the best, where it has more. */
const chunksOfOthers = 2;
/** Most code units of a chunk. */
const shortChunk = 512;
/** Of the one line of a file, in UTF-16 code units. */
const shortLine = 160;

interface AnswerOptions {
  readonly links: Links;
  /** As the search was asked. Where `count:` asks for more, every file has all that was found. */
  readonly mode: SearchRequest['mode'];
  readonly count?: QueryOptions['count'];
  readonly outlines?: Outlines;
}

/** A search result as an answer. */
export function answerOf(found: SearchResult, { count, mode, links, outlines }: AnswerOptions): SearchAnswer {
  const { files: all, type, matchCount, fileCount, notSearched, notes } = found;
  const isWhole = count === undefined && (isOneFile(found) || hasFewMatches(found, mode));
  const isShort = type === 'file' && !wantsMore(count);
  const files = isShort ? all.map((file, index) => shortened(file, { index, mode, of: all.length, isWhole })) : all;
  const hidesLines = type === 'file' && files.some(hasMoreLines);
  return {
    blocks: files.map((file, index) => blockOf(file, { type, links, outline: outlines?.[index] })),
    matchCount,
    fileCount,
    limitHit: found.limitHit || hidesLines || notSearched !== undefined,
    ...(notSearched && { notSearched: { files: notSearched.files, reasons: [...notSearched.reasons] } }),
    ...(notes.length > 0 && { notes: [...notes] }),
  };
}

/** What is shown of a file by its place: its best chunks, or its best line. Where a file has few matches, all are shown. */
function shortened(
  file: FoundFile,
  { index, of, mode, isWhole }: { index: number; of: number; mode: SearchRequest['mode']; isWhole: boolean },
): FoundFile {
  if (index >= filesWithContext) return withoutContext(file, { mode, isWhole });
  if (isWhole) return file;
  const isBest = index === 0 || of <= filesWithContext || !hasMoreLines(file);
  const chunks = file.chunks.slice(0, isBest ? defaultSearchLimits.chunksPerFile : chunksOfOthers);
  return { ...file, chunks, matches: file.matches.filter(({ line }) => chunks.some((chunk) => isWithin(line, chunk))) };
}

const isWithin = (line: number, { startLine, endLine }: Pick<Chunk, 'startLine' | 'endLine'>): boolean =>
  startLine <= line && line <= endLine;

/** Its best line. Keywords are often looked for everywhere: where they stand in few lines, all are shown. */
function withoutContext(
  file: FoundFile,
  { mode, isWhole }: { mode: SearchRequest['mode']; isWhole: boolean },
): FoundFile {
  const isFew = mode === 'keyword' && !hasMoreLines(file) && file.matches.length <= defaultSearchLimits.chunksPerFile;
  const best = bestLine(file);
  const matches = isWhole || isFew || !best ? file.matches : [best];
  const chunks = matches.map(({ line, text, ranges }) => ({
    startLine: line,
    endLine: line,
    lines: [partAround(text, ranges[0]?.[0] ?? 0)],
  }));
  return { ...file, matches, chunks };
}

/** Of the best chunk the line with most of what was looked for; a comment only where nothing else has as much. */
function bestLine({ chunks: [best], matches }: FoundFile): MatchedLine | undefined {
  const lines = best ? matches.filter(({ line }) => isWithin(line, best)) : [];
  return lines.toSorted((a, b) => worthOf(b) - worthOf(a))[0];
}

const comment = /^\s*(?:\/[/*]|\*|#|--|;|<!--)/;

function worthOf({ text, ranges }: MatchedLine): number {
  const found = new Set(ranges.map(([start, end]) => text.slice(start, end).toLowerCase()));
  return found.size - (comment.test(text) ? 0.5 : 0);
}

/** A line without its indentation, cut to what is around a match. */
function partAround(text: string, match: number): string {
  const from = text.length - text.trimStart().length;
  const start = Math.max(from, Math.min(match - shortLine / 4, text.length - shortLine));
  const begin = start > from ? '…' : '';
  const end = start + shortLine < text.length ? '…' : '';
  return `${begin}${wellFormed(text.slice(start, start + shortLine))}${end}`;
}

/** Without the halves of characters at its ends. */
const wellFormed = (text: string): string => text.replaceAll(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');

/** What files define, in the order of the files that a search found; absent where it is not known. */
type Outlines = readonly (readonly OutlineEntry[] | undefined)[];
/** Names are left out where telling them takes longer. */
const outlineMs = 100;

/** What the files define that are shown with lines around. A file that cannot be told of has no outline. */
export async function outlinesOf(
  { type, files }: SearchResult,
  symbols: Symbols | undefined,
  { caller, signal }: Pick<Call, 'caller' | 'signal'>,
): Promise<Outlines> {
  if (!symbols || type !== 'file') return [];
  const late = AbortSignal.any([signal, AbortSignal.timeout(outlineMs)]);
  const outlines = files.slice(0, filesWithContext).map(async ({ repo, path, commit, chunks }) => {
    if (chunks.length === 0) return undefined;
    try {
      return (await symbols.outline(caller, { repo, path, revision: commit }, late)).definitions;
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  });
  return Promise.all(outlines);
}

function blockOf(
  file: FoundFile,
  {
    type,
    links,
    outline = [],
  }: { type: SearchResult['type']; links: Links; outline: readonly OutlineEntry[] | undefined },
): SearchBlock {
  const { repo, path, revision, chunks } = file;
  const [first] = chunks;
  const lines = first && { startLine: first.startLine, endLine: first.endLine };
  const rev = revision !== undefined && { rev: revision };
  const url = links.file({ repo, path, ...(revision !== undefined && { revision }), ...lines });
  const counts = type === 'file' && { matchCount: file.matchCount, matchesShown: file.matches.length };
  return {
    type: type === 'repo' ? 'repo' : 'file',
    repo,
    file: path,
    ...rev,
    url,
    ...counts,
    chunks: chunks.map((chunk) => {
      const within = definitionAround(chunk, { file, outline });
      return { ...numberedChunk(withoutBlankEnds(chunk)), ...(within !== undefined && { within }) };
    }),
  };
}

const hasText = (line: string): boolean => /\S/.test(line);

/** Without empty lines before the first and behind the last line that says something. */
function withoutBlankEnds({ startLine, endLine, lines }: Chunk): Chunk {
  const [first, last] = [lines.findIndex(hasText), lines.findLastIndex(hasText)];
  if (first < 0) return { startLine, endLine, lines };
  return { startLine: startLine + first, endLine: startLine + last, lines: lines.slice(first, last + 1) };
}

/** A definition of fewer lines says no more than its line does. */
const fewestLines = 3;
/** Kinds of definition that hold most of a file, and say little of where a line stands. */
const spaces = new Set(['namespace', 'module', 'package']);

/** The innermost definition around the first match of a chunk, else the first that begins there, unless the chunk shows all of it. */
function definitionAround(
  chunk: Chunk,
  { file, outline }: { file: FoundFile; outline: readonly OutlineEntry[] },
): string | undefined {
  const match = file.matches.find(({ line }) => isWithin(line, chunk))?.line ?? chunk.startLine;
  const large = outline.filter(({ kind, line, endLine }) => !spaces.has(kind) && endLine - line + 1 >= fewestLines);
  const around = large.filter(({ line, endLine }) => line <= match && match <= endLine);
  const innermost = around.toSorted((a, b) => a.endLine - a.line - (b.endLine - b.line))[0];
  const definition = innermost ?? large.find(({ line }) => isWithin(line, chunk));
  if (!definition || (chunk.startLine <= definition.line && definition.endLine <= chunk.endLine)) return undefined;
  const { name, container, line, endLine } = definition;
  return `${container === undefined ? '' : `${container}.`}${name} (${line}-${endLine})`;
}

/** What a model reads: the best first, then remarks, then what was left out and how to get it. */
export function searchAnswerText(answer: SearchAnswer): string {
  const { blocks, limitHit, notSearched, notes = [] } = answer;
  const found = blocks.length > 0 ? blocksText(blocks) : 'No matches.';
  const reasons = notSearched?.reasons.filter((reason) => !notes.includes(reason)) ?? [];
  const remarks = noteLines([...notes, ...reasons]);
  if (blocks.length === 0 && limitHit) return [found, ...remarks, cutText(remarks.length > 0)].join('\n\n');
  return [found, ...remarks, ...leftText(answer)].join('\n\n');
}

/** Files with the lines around their matches, then lines of others under the name of their repository. */
function blocksText(blocks: readonly SearchBlock[]): string {
  if (blocks.every(({ file }) => file === '')) return blocks.map((block) => blockText(block)).join('\n');
  const end = blocks.findLastIndex((block, index) => (index < filesWithContext ? saysMore(block) : hasContext(block)));
  const best = blocks.slice(0, end + 1).map((block) => blockText(block, matchesOf(block)));
  const heading = best.length > 0 ? 'more files' : 'files';
  const others = Map.groupBy(blocks.slice(end + 1), nameOf);
  const texts = [...others].map(([name, files]) =>
    [oneLine(`# ${name} – ${heading}`), ...files.map(linesText)].join('\n'),
  );
  return [...best, ...texts].join('\n\n');
}

/** Whether more is known of a file than that its path matches. */
const saysMore = ({ chunks, matchCount = 0 }: SearchBlock): boolean => chunks.length > 0 || matchCount > 0;

const hasContext = ({ chunks }: SearchBlock): boolean => chunks.some(({ startLine, endLine }) => startLine < endLine);

/** `path:line: text` for each line of a file, with how many more there are; the path alone where only that matches. */
function linesText({ file, chunks, matchCount = 0, matchesShown = 0 }: SearchBlock): string {
  if (chunks.length === 0) return oneLine(file);
  const shown = matchCount > matchesShown ? ` (${matchesShown} of ${matchCount})` : '';
  const lines = chunks.map(
    ({ startLine, content }) => `${file}:${startLine}${shown}:${content.slice(content.indexOf(':') + 1)}`,
  );
  return lines.map(oneLine).join('\n');
}

const nameOf = ({ repo, rev }: SearchBlock): string => (rev === undefined ? repo : `${repo}@${rev}`);

/** How many of the matches of a file are shown; of a file that its path alone matches there are none. */
function matchesOf({ matchCount = 0, matchesShown = 0 }: SearchBlock): string {
  if (matchCount === 0) return '';
  const shown = matchesShown < matchCount ? `${matchesShown} of ` : '';
  return ` (${shown}${plural(matchCount, 'match', 'matches')})`;
}

const plural = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`;

/** The last line: what is shown of how much, and how to see the rest. Empty where everything is shown. */
function leftText({ blocks, matchCount, fileCount = blocks.length, limitHit, notSearched }: SearchAnswer): string[] {
  const lines = blocks.reduce(
    (sum, { matchCount: inFile = 0, matchesShown = 0 }) => sum + Math.min(inFile, matchesShown),
    0,
  );
  const hidesFiles = blocks.length < fileCount;
  const hidesLines = blocks.some(({ matchCount: inFile = 0, matchesShown = 0 }) => inFile > Math.max(1, matchesShown));
  const how = howToGoOn({ blocks, hidesFiles });
  // Of definitions only the matches are counted.
  if (!hidesFiles && !hidesLines)
    return limitHit && !notSearched ? [`[not all of ${matchCount} or more matches are shown; ${how}]`] : [];
  const atLeast = hidesFiles ? 'at least ' : '';
  const kind = blocks[0]?.type === 'repo' ? 'repositories' : 'files';
  const ofFiles = hidesFiles
    ? `${blocks.length} of ${atLeast}${fileCount} ${kind}`
    : plural(blocks.length, 'file', kind);
  const ofLines =
    lines === 0 && !hidesLines ? '' : `${lines} of ${atLeast}${plural(matchCount, 'match', 'matches')} in `;
  return [`[${ofLines}${ofFiles} shown; ${how}]`];
}

function howToGoOn({ blocks, hidesFiles }: { blocks: readonly SearchBlock[]; hidesFiles: boolean }): string {
  const shown = blocks.flatMap(({ chunks }) => chunks);
  const isFull =
    shown.length > defaultSearchLimits.files * defaultSearchLimits.chunksPerFile ||
    blocks.length > defaultSearchLimits.files;
  if (!hidesFiles && blocks.length === 1) return 'read_file shows the rest of the file';
  if (isFull) return 'for the rest, search one repository, folder or file at a time with repo: and file:';
  return `narrow it with words, repo: or file:${hidesFiles ? ', or ask for more with count:N or count:all' : '; count:all shows all that fits'}`;
}

/** Nothing was found, but only a part was searched. */
const cutText = (isSaid: boolean): string =>
  `[Not all was searched${isSaid ? ', as said above' : ''}: this does not mean that there is nothing; narrow the search with repo: or file:, or search again later]`;
