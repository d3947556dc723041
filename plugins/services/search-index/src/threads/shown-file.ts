import type { Matches } from '@sextant/library-block-index';
import { chunksOf, cut } from '@sextant/library-search-results';
import { DocumentLines, showLine } from './document-lines.ts';
import type { ShownLine, TextReader } from './document-lines.ts';
import type { RankedFile } from './found-files.ts';
import { hitOf, noLines, phraseLines } from './hit.ts';
import type { Hit } from './hit.ts';
import { NearText } from './near-text.ts';
import type { FoundChunk, FoundLines, FoundMatch, JobLimits } from './protocol.ts';
import { rateLines } from './rated-lines.ts';

/** A file with how good its lines are, by their numbers. */
interface RatedFile extends Omit<RankedFile, 'isOneText' | 'query' | 'shown'> {
  readonly weights: ReadonlyMap<number, number>;
}

type Weigh = (matches: Matches, reader: TextReader) => ReadonlyMap<number, number>;

/** What is shown of a file that was ranked without its lines. */
export function showRanked(ranked: RankedFile, limits: JobLimits): FoundLines {
  const { isOneText } = ranked;
  const { lineCharacters } = limits;
  return show(ranked, limits, (matches, reader) =>
    rateLines(matches, reader, { lineCharacters, isOneText, phrases: isOneText ? noLines : phraseLines(matches) }),
  );
}

/** What is shown of a file. */
export const showFile = ({ weights, ...file }: RatedFile, limits: JobLimits): FoundLines =>
  show(file, limits, () => weights);

type ShownLines = Pick<FoundLines, 'chunks' | 'matches'>;

const noneShown: ShownLines = { chunks: [], matches: [] };

function show(file: Omit<RatedFile, 'weights'>, limits: JobLimits, weigh: Weigh): FoundLines {
  const { matches, lineCount, source } = file;
  if (!source || !matches || matches.length === 0) return withLines(file, noneShown);
  const lines = source.part.within(({ content, shard }) => {
    const range = shard.documentRange(source.document);
    const reader = new NearText(content, range);
    const document = { hit: hitOf(matches, lineCount), weights: weigh(matches, reader), ...range, reader };
    return linesToShow(document, limits);
  });
  return withLines(file, lines);
}

const withLines = (
  { view, target, file, score, lineCount }: Omit<RatedFile, 'weights'>,
  { chunks, matches }: ShownLines,
): FoundLines => ({ target, file, path: view.pathOf(file), score, matchCount: lineCount, chunks, matches });

/** What a file takes of the room of an answer. */
export function charactersIn({ path, chunks }: Pick<FoundLines, 'path' | 'chunks'>): number {
  let characters = path.length;
  for (const { startLine, endLine, text } of chunks) {
    const lines = endLine - startLine + 1;
    // Without the line ends between them.
    characters += text.length - (lines - 1) + lines * 8;
  }
  return characters;
}

interface ShownDocument extends Pick<RatedFile, 'weights'> {
  readonly hit: Hit;
  readonly start: number;
  readonly end: number;
  readonly reader: TextReader;
}

function linesToShow({ hit, weights, ...place }: ShownDocument, limits: JobLimits): ShownLines {
  const { lineCharacters } = limits;
  const document = new DocumentLines(hit.lines, place);
  /** Lines with matches, by their numbers. */
  const shown = new Map<number, ShownLine>();
  const textOf = (line: number): string => {
    const matching = document.hitAt(line);
    if (!matching) return document.text(line, lineCharacters);
    const found = showLine(place.reader, matching, lineCharacters);
    shown.set(line, found);
    return found.text;
  };
  const rated = hit.lines.map(({ line }) => ({ line, weight: weights.get(line) ?? 0 }));
  const chunks = chunksOf(rated, { lineCount: document.count, textOf }, limits).map(
    ({ startLine, endLine, lines }): FoundChunk => ({ startLine, endLine, text: lines.join('\n') }),
  );
  return { chunks, matches: matchesIn(chunks, shown, lineCharacters) };
}

/** The lines with matches that chunks show. */
function matchesIn(
  chunks: readonly FoundChunk[],
  shown: ReadonlyMap<number, ShownLine>,
  lineCharacters: number,
): FoundMatch[] {
  const matches: FoundMatch[] = [];
  for (const [chunk, { startLine, endLine }] of chunks.entries())
    for (let line = startLine; line <= endLine; line += 1) {
      const found = shown.get(line - 1);
      if (found) matches.push({ chunk, line, ranges: within(found, lineCharacters) });
    }
  return matches.sort((a, b) => a.line - b.line);
}

/** Of a line that is cut. */
function within({ text, ranges }: ShownLine, lineCharacters: number): ShownLine['ranges'] {
  if (text.length <= lineCharacters) return ranges;
  const { length } = cut(text, lineCharacters);
  return ranges.filter(([start]) => start < length).map(([start, end]) => [start, Math.min(end, length)]);
}
