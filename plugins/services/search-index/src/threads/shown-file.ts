import type { SearchPlace } from '@sextant/library-block-index';
import { chunksOf, cut } from '@sextant/library-search-results';
import { DocumentLines, showLine } from './document-lines.ts';
import type { ShownLine } from './document-lines.ts';
import type { RankedFile } from './found-files.ts';
import { hitOf, noLines, phraseLines } from './hit.ts';
import type { Hit } from './hit.ts';
import type { FoundLines, JobLimits } from './protocol.ts';
import { rateLines } from './rated-lines.ts';

/** A file with how good its lines are, by their numbers. */
interface RatedFile extends Omit<RankedFile, 'isOneText' | 'query'> {
  readonly weights: ReadonlyMap<number, number>;
}

/** The same for a file that was ranked without them. */
export function withWeights(ranked: RankedFile, { lineCharacters }: JobLimits): RatedFile {
  const { source, matches, isOneText } = ranked;
  const rate = ({ content }: SearchPlace): Map<number, number> =>
    matches
      ? rateLines(matches, content, { lineCharacters, isOneText, phrases: isOneText ? noLines : phraseLines(matches) })
      : new Map();
  return { ...ranked, weights: source?.part.within(rate) ?? new Map() };
}

/** Matches in the lines near each line, its own most: where much of a question is close together. */
export function densities({ lines }: Hit): Map<number, number> {
  const near = (line: number): number =>
    lines.reduce((sum, other) => sum + other.ranges.length / (1 + Math.abs(other.line - line) / passageLines) ** 2, 0);
  return new Map(lines.map(({ line }) => [line, near(line)]));
}

/** Lines over which what is said is about the same. */
const passageLines = 4;

/** What is shown of a file. */
export function showFile(ranked: RatedFile, limits: JobLimits): FoundLines {
  const { view, target, file, score, matches, lineCount, source } = ranked;
  const found = { target, file, path: view.pathOf(file), score, matchCount: lineCount };
  if (!source || !matches || matches.length === 0) return { ...found, chunks: [], matches: [] };
  const hit = hitOf(matches, lineCount);
  const { lineCharacters } = limits;
  return source.part.within(({ content, shard }) => {
    const document = new DocumentLines(hit.lines, { ...shard.documentRange(source.document), reader: content });
    const lines = new Map(hit.lines.map((line) => [line.line, showLine(content, line, lineCharacters)]));
    return { ...found, ...linesToShow(ranked, { document, lines }, limits) };
  });
}

/** What a file takes of the room of an answer. */
export const charactersIn = ({ path, chunks }: Pick<FoundLines, 'path' | 'chunks'>): number =>
  path.length + chunks.flatMap(({ lines }) => lines).reduce((sum, line) => sum + line.length + 8, 0);

interface Shown {
  readonly document: DocumentLines;
  /** Lines with matches, by their numbers. */
  readonly lines: ReadonlyMap<number, ShownLine>;
}

function linesToShow(
  { weights }: RatedFile,
  { document, lines }: Shown,
  limits: JobLimits,
): Pick<FoundLines, 'chunks' | 'matches'> {
  const chunks = chunksOf(
    [...lines.keys()].map((line) => ({ line, weight: weights.get(line) ?? 0 })),
    {
      lineCount: document.count,
      textOf: (line) => lines.get(line)?.text ?? document.text(line, limits.lineCharacters),
    },
    limits,
  );
  const isShown = (line: number): boolean =>
    chunks.some((chunk) => line + 1 >= chunk.startLine && line < chunk.endLine);
  const matches = [...lines].flatMap(([line, { text, ranges }]) =>
    isShown(line) ? [{ line: line + 1, ...within(cut(text, limits.lineCharacters), ranges) }] : [],
  );
  return { chunks, matches };
}

const within = (
  text: string,
  ranges: readonly (readonly [number, number])[],
): Pick<FoundLines['matches'][number], 'text' | 'ranges'> => ({
  text,
  ranges: ranges.filter(([start]) => start < text.length).map(([start, end]) => [start, Math.min(end, text.length)]),
});
