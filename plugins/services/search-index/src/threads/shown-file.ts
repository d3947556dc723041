import type { SearchPlace } from '@sextant/library-block-index';
import { chunksOf, cut, definitionWeight, lineWeight } from '@sextant/library-search-results';
import type { AttachedPart } from './attached-view.ts';
import { DocumentLines, showLine } from './document-lines.ts';
import type { ShownLine } from './document-lines.ts';
import type { RankedFile } from './found-files.ts';
import { hitOf } from './hit.ts';
import type { Hit, HitLine } from './hit.ts';
import type { FoundLines, JobLimits } from './protocol.ts';

/** Lines of a hit that are read to tell how good it is. */
const linesRated = 20;

interface Rating {
  readonly lineCharacters: number;
  readonly isOneText: boolean;
}

/** How good the first lines of a hit are, by their numbers: see `lineWeight`. */
export function rateLines(
  { lines }: Hit,
  part: AttachedPart,
  { lineCharacters, isOneText }: Rating,
): Map<number, number> {
  const weigh = ({ content }: SearchPlace): [number, number][] =>
    lines.slice(0, linesRated).map((line) => {
      const { text, ranges } = showLine(content.text(line.start, line.end), line, lineCharacters);
      const definition = Math.max(0, ...ranges.map(([start, end]) => definitionWeight(text, start, end)));
      return [line.line, lineWeight({ isWord: isWord(line), definition, matches: line.ranges.length, isOneText })];
    });
  return new Map(part.within(weigh));
}

const isWord = ({ ranges }: HitLine): boolean => ranges.some(([, , whole]) => whole);

/** Matches in the lines near each line, its own most: where much of a question is close together. */
export function densities({ lines }: Hit): Map<number, number> {
  const near = (line: number): number =>
    lines.reduce((sum, other) => sum + other.ranges.length / (1 + Math.abs(other.line - line) / passageLines) ** 2, 0);
  return new Map(lines.map(({ line }) => [line, near(line)]));
}

/** Lines over which what is said is about the same. */
const passageLines = 4;

/** What is shown of a file. */
export function showFile(ranked: RankedFile, limits: JobLimits): FoundLines {
  const { view, target, file, score, matches, lineCount, source } = ranked;
  const found = { target, file, path: view.pathOf(file), score, matchCount: lineCount };
  if (!source || !matches || matches.length === 0) return { ...found, chunks: [], matches: [] };
  const hit = hitOf(matches, lineCount);
  const { start, end } = source.part.shard.documentRange(source.document);
  const { lineCharacters } = limits;
  const shown = source.part.within(({ content }) => ({
    document: new DocumentLines(content.text(start, end)),
    lines: new Map(
      hit.lines.map((line) => [line.line, showLine(content.text(line.start, line.end), line, lineCharacters)]),
    ),
  }));
  return { ...found, ...linesToShow(ranked, shown, limits) };
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
  { weights }: RankedFile,
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
