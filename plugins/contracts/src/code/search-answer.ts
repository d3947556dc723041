import { oneLine } from '@sextant/core';
import type { Call } from '@sextant/core';
import { z } from 'zod';
import { limitForCount } from './fields.ts';
import { defaultSearchLimits, hasMoreLines } from './search.ts';
import type { Chunk, FoundFile, Search, SearchRequest, SearchResult } from './search.ts';
import type { Links } from '../pages/links.ts';
import { mostCount } from '../query/filter-values.ts';
import { parseQuery } from '../query/parse.ts';
import type { ParsedQuery } from '../query/query.ts';

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

function blockText({ repo, file, rev, chunks }: FileBlock, remark = ''): string {
  const name = `# ${repo}${rev === undefined ? '' : `@${rev}`}${file === '' ? '' : ` – ${file}`}`;
  const heading = oneLine(`${name}${remark}`);
  return [heading, chunks.map(({ content }) => content).join('\n…\n')].filter((part) => part !== '').join('\n');
}

/** Remarks as answers end with them. */
export const noteLines = (notes: readonly string[]): string[] => notes.map((note) => oneLine(`[${note}]`));

/** A file that a search found, how many of its lines match, and how many of these its chunks show. Only files have counts. */
export const searchBlock = fileBlock.extend({ matchCount: z.int().optional(), matchesShown: z.int().optional() });
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
const charactersOfAnswer = 48_000;
/** More than any file shows. */
const allChunks = 10_000;

/** What the search tools take. `limit` stands for `count:` in the query. */
export const searchFields = (description: string) => ({
  query: z.string().min(1).max(8192).describe(description),
  limit: limitForCount(mostCount),
});

/** The query that is asked for. What it says itself holds. */
export function askedQuery({ query, limit }: { query: string; limit?: number | undefined }): ParsedQuery {
  const { options, ...parsed } = parseQuery(query);
  return { ...parsed, options: { ...(limit !== undefined && { count: limit }), ...options } };
}

/** Searches with the limits of a tool. Where one file is left, all of its matching lines are shown, as far as they fit. */
export async function findToShow(
  search: Search,
  asked: Omit<SearchRequest, 'limits'>,
  { caller, signal }: Pick<Call, 'caller' | 'signal'>,
): Promise<SearchResult> {
  const limits = { ...defaultSearchLimits, characters: charactersOfAnswer };
  const found = await search.find(caller, { ...asked, limits }, signal);
  const [file] = found.files;
  const isComplete = found.type !== 'file' || asked.options.count !== undefined || !file || !hasMoreLines(file);
  if (isComplete || found.fileCount > 1) return found;
  return search.find(caller, { ...asked, limits: { ...limits, chunksPerFile: allChunks } }, signal);
}

/** A search result as an answer. */
export function answerOf(found: SearchResult, links: Links): SearchAnswer {
  const { files, type, matchCount, fileCount, notSearched, notes } = found;
  const blocks = files.map((file) => blockOf(file, type, links));
  const hidesLines = type === 'file' && files.some(hasMoreLines);
  return {
    blocks,
    matchCount,
    fileCount,
    limitHit: found.limitHit || hidesLines || notSearched !== undefined,
    ...(notSearched && { notSearched: { files: notSearched.files, reasons: [...notSearched.reasons] } }),
    ...(notes.length > 0 && { notes: [...notes] }),
  };
}

function blockOf(file: FoundFile, type: SearchResult['type'], links: Links): SearchBlock {
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
    chunks: chunks.map(numberedChunk),
  };
}

/** What a model reads: the best first, then remarks, then what was left out and how to get it. */
export function searchAnswerText(answer: SearchAnswer): string {
  const { blocks, limitHit, notSearched, notes = [] } = answer;
  const found =
    blocks.length > 0 ? blocks.map((block) => blockText(block, matchesOf(block))).join('\n\n') : 'No matches.';
  const reasons = notSearched?.reasons.filter((reason) => !notes.includes(reason)) ?? [];
  const remarks = noteLines([...notes, ...reasons]);
  if (blocks.length === 0 && limitHit) return [found, ...remarks, cutText(remarks.length > 0)].join('\n\n');
  return [found, ...remarks, ...leftText(answer)].join('\n\n');
}

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
