import { searchBlock, searchAnswer, numberedChunk, defaultSearchLimits, noteLines } from '@sextant/contracts';
import type { FoundSymbols, Links, SymbolFile, Commit, FoundDiff, FoundHistory } from '@sextant/contracts';
import { z } from 'zod';
import { cut, oneLine, visible } from '@sextant/core';

/** Files as in every search; commits (`rev` is the hash, `file` is empty) and hunks of diffs besides. */
export const keywordAnswer = searchAnswer.extend({
  blocks: z.array(
    searchBlock.extend({
      type: z.string().describe('file, repo, symbol, commit or diff'),
      author: z.string().optional(),
      date: z.string().optional(),
      title: z.string().optional(),
    }),
  ),
});
export type KeywordAnswer = z.output<typeof keywordAnswer>;
type KeywordBlock = KeywordAnswer['blocks'][number];

/** Definitions as blocks. */
export function symbolAnswer({ files, matchCount, limitHit, notes }: FoundSymbols, links: Links): KeywordAnswer {
  const blocks = files.map((file) => symbolBlock(file, links));
  return { blocks, matchCount, limitHit, ...(notes.length > 0 && { notes: [...notes] }) };
}

function symbolBlock({ repo, path, revision, chunks, places, matchCount }: SymbolFile, links: Links): KeywordBlock {
  const [best] = places;
  const revised = revision !== undefined && { revision };
  const line = best && { startLine: best.line, endLine: best.line };
  return {
    type: 'symbol',
    repo,
    file: path,
    ...(revision !== undefined && { rev: revision }),
    url: links.file({ repo, path, ...revised, ...line }),
    chunks: chunks.map(numberedChunk),
    ...(matchCount !== undefined && { matchCount, matchesShown: places.length }),
  };
}

const { chunkCharacters, lineCharacters } = defaultSearchLimits;

/** Commits and diffs as blocks. */
export function historyAnswer(found: FoundHistory, links: Links): KeywordAnswer {
  const { totalCount, isLimited, notes } = found;
  return {
    blocks: blocksOf(found, links),
    matchCount: totalCount,
    limitHit: isLimited,
    ...(notes.length > 0 && { notes: [...notes] }),
  };
}

const blocksOf = (found: FoundHistory, links: Links): KeywordBlock[] =>
  found.type === 'commit'
    ? found.results.map((commit) => ({ ...blockOf(commit, links), type: 'commit', chunks: [messageChunk(commit)] }))
    : found.results.map((diff) => ({
        ...blockOf(diff, links),
        type: 'diff',
        file: diff.path,
        chunks: [hunkChunk(diff)],
      }));

const blockOf = ({ repo, commit, author, date, title }: Commit, links: Links) => ({
  repo,
  file: '',
  rev: commit,
  url: links.commit(repo, commit),
  author: `${author.name} <${author.email}>`,
  date,
  title: clip(title),
});

type Chunk = KeywordBlock['chunks'][number];

function messageChunk({ message }: Commit): Chunk {
  const lines = shown(message.split('\n').map((line, index) => `${index + 1}: ${clip(line)}`));
  return { startLine: 1, endLine: lines.length, content: lines.join('\n') };
}

/** A hunk keeps its markers; its lines are those of the file after the commit. */
function hunkChunk({ hunk, matchRanges }: FoundDiff): Chunk {
  const [header = '', ...lines] = hunk.split('\n').map(clip);
  const [, start = '1', count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(header) ?? [];
  // From the match back to the lines before it, so that it is there when the hunk is cut.
  const match = (matchRanges[0]?.line ?? 2) - 2;
  const from = Math.max(0, match - 3);
  const part = shown(lines.slice(from));
  const left = from + part.length < lines.length ? ['…'] : [];
  const content = [header, ...(from > 0 ? ['…'] : []), ...part, ...left].join('\n');
  return { startLine: Number(start), endLine: Number(start) + Math.max(0, Number(count) - 1), content };
}

/** As many lines as a chunk shows, one at least. */
function shown(lines: readonly string[]): string[] {
  let left = chunkCharacters;
  const end = lines.findIndex((line, index) => {
    left -= line.length + 1;
    return left < 0 && index > 0;
  });
  return end < 0 ? [...lines] : lines.slice(0, end);
}

const clip = (line: string): string => cut(line, lineCharacters);

/** What a model reads: a heading per commit with its message or its hunks below. */
const historyBlockText = (block: KeywordBlock, index: number, all: readonly KeywordBlock[]): string => {
  const { repo, rev = '', author, date = '', title, chunks, type, file } = block;
  const heading = oneLine(`# ${repo} ${rev.slice(0, 12)} ${date.slice(0, 10)} ${author}: ${title}`);
  const content = chunks.map((chunk) => chunk.content).join('\n');
  if (type === 'commit') return [heading, ...visible(content).split('\n').slice(1)].join('\n');
  const before = all[index - 1];
  const isSame = before?.rev === rev && before.repo === repo;
  return [...(isSame ? [] : [heading]), oneLine(`## ${file}`), content].join('\n');
};

export const isOfHistory = ({ blocks }: KeywordAnswer): boolean =>
  blocks.some(({ type }) => type === 'commit' || type === 'diff');

/** What a model reads of commits and diffs. */
export function historyText({ blocks, matchCount, limitHit, notes = [] }: KeywordAnswer): string {
  // Where all that was found is here, a note says what was not searched.
  const isCut = limitHit && (blocks.length < matchCount || notes.length === 0);
  const left = `[the newest ${blocks.length} of at least ${matchCount}; add author:, after: or before:, or ask for more with count:N]`;
  return [blocks.map(historyBlockText).join('\n'), ...noteLines(notes), ...(isCut ? [left] : [])].join('\n\n');
}
