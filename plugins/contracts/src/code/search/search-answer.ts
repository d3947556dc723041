import { joinSignals, timeoutSignal } from '@sextant/core';
import type { Call } from '@sextant/core';
import { z } from 'zod';
import { isWithin } from './answer-limits.ts';
import { hasMoreLines } from './search.ts';
import type { Chunk, FoundFile, Search, SearchRequest, SearchResult } from './search.ts';
import { filesWithContext, findToShow, isShownWhole, shortened, wantsMore } from './shown-files.ts';
import { innermostAround, qualifiedName, tellingPlaces } from '../symbols/definitions-around.ts';
import type { OutlineEntry, Symbols } from '../symbols/symbols.ts';
import type { Links } from '../../pages/links.ts';

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

/** `within` names the definition around the lines, with its own lines. */
const searchChunk = fileBlock.shape.chunks.element.extend({
  within: z.string().optional(),
});
export type SearchChunk = z.output<typeof searchChunk>;

/** A file that a search found, how many of its lines match, and how many of these its chunks show. Only files have counts. */
export const searchBlock = fileBlock.extend({
  chunks: z.array(searchChunk),
  matchCount: z.int().optional(),
  matchesShown: z.int().optional(),
});
export type SearchBlock = z.output<typeof searchBlock>;

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
  return answerOf(found, { asked, links, outlines });
}

interface AnswerOptions {
  readonly links: Links;
  /** Where `count:` asks for more, every file has all that was found. */
  readonly asked: Pick<SearchRequest, 'mode' | 'options'>;
  readonly outlines?: Outlines;
}

/** A search result as an answer. */
export function answerOf(found: SearchResult, { asked, links, outlines }: AnswerOptions): SearchAnswer {
  const { files: all, type, matchCount, fileCount, notSearched, notes } = found;
  const isWhole = isShownWhole(found, asked);
  const isShort = type === 'file' && !wantsMore(asked.options.count);
  const { mode } = asked;
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
  const late = joinSignals(signal, timeoutSignal(outlineMs));
  const outlines = files.slice(0, filesWithContext).map(async ({ repo, path, commit, chunks }) => {
    if (chunks.length === 0) return undefined;
    try {
      return (await symbols.outline(caller, { repo, path, revision: commit, parts: chunks }, late)).definitions;
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

/** The innermost definition around the first match of a chunk, else the first that begins there, unless the chunk shows all of it. */
function definitionAround(
  chunk: Chunk,
  { file, outline }: { file: FoundFile; outline: readonly OutlineEntry[] },
): string | undefined {
  const match = file.matches.find(({ line }) => isWithin(line, chunk))?.line ?? chunk.startLine;
  const large = tellingPlaces(outline);
  const definition = innermostAround(match, large) ?? large.find(({ line }) => isWithin(line, chunk));
  if (!definition || (chunk.startLine <= definition.line && definition.endLine <= chunk.endLine)) return undefined;
  return `${qualifiedName(definition)} (${definition.line}-${definition.endLine})`;
}
