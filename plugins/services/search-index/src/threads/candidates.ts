import type { SearchPlace } from '@sextant/library-block-index';
import { chunksOf, cut, definitionWeight, lineWeight, scoreFile } from '@sextant/library-search-results';
import type { AttachedPart, AttachedView } from './attached-view.ts';
import type { Hit, HitLine } from './content-search.ts';
import { DocumentLines, showLine } from './document-lines.ts';
import type { ShownLine } from './document-lines.ts';
import type { FoundLines, JobLimits } from './protocol.ts';

/** A file that matches. */
export interface Candidate {
  readonly view: AttachedView;
  readonly target: number;
  readonly file: number;
  readonly path: string;
  /** Where its text is; absent for a file without text. */
  readonly source: { readonly part: AttachedPart; readonly document: number } | undefined;
  readonly hit: Hit | undefined;
}

export interface RankOptions {
  /** Texts of the query in lower case. */
  readonly words: readonly string[];
  readonly limits: JobLimits;
}

/** So many times the files that are shown are looked at line by line. */
const refined = 4;
const linesRefined = 20;

/** The best candidates, with what is shown of them. */
export function best(candidates: readonly Candidate[], options: RankOptions): FoundLines[] {
  const { limits } = options;
  const likely = top(
    candidates.map((candidate) => ({ candidate, score: roughScore(candidate, options) })),
    limits.files * refined,
  );
  const rated = likely.map(({ candidate }) => rate(candidate, options));
  return top(rated, limits.files).map((each) => show(each, limits));
}

/** Candidates that are ranked already, with what is shown of them: the lines where most different words are close together. */
export function showCandidates(
  candidates: readonly (Candidate & { score: number })[],
  limits: JobLimits,
): FoundLines[] {
  return candidates.map((candidate) =>
    show({ candidate, score: candidate.score, weights: densities(candidate.hit) }, limits),
  );
}

/** Matches in the lines near each line, its own most. */
function densities(hit: Hit | undefined): Map<number, number> {
  const lines = hit?.lines ?? [];
  const near = (line: number): number =>
    lines.reduce((sum, other) => sum + other.ranges.length / (1 + Math.abs(other.line - line) / passageLines) ** 2, 0);
  return new Map(lines.map(({ line }) => [line, near(line)]));
}

/** Lines over which what is said is about the same. */
const passageLines = 4;

interface Rated {
  readonly candidate: Candidate;
  readonly score: number;
  readonly weights: ReadonlyMap<number, number>;
}

function top<T extends { candidate: Candidate; score: number }>(list: readonly T[], most: number): T[] {
  return list.toSorted((a, b) => b.score - a.score || a.candidate.file - b.candidate.file).slice(0, most);
}

const isWord = ({ ranges }: HitLine): boolean => ranges.some(([, , whole]) => whole);

/** Without reading any line. */
function roughScore({ path, hit }: Candidate, { words }: RankOptions): number {
  const whole = hit?.lines.some(isWord) ?? false;
  const weight = hit && hit.lineCount > 0 ? lineWeight({ isWord: whole, definition: 0.5, matches: 1 }) : 0;
  return scoreFile({ path, lineCount: hit?.lineCount ?? 0, best: weight, words });
}

function rate(candidate: Candidate, { words, limits }: RankOptions): Rated {
  const { path, hit, source } = candidate;
  const lines = hit?.lines.slice(0, linesRefined) ?? [];
  const weigh = (place: SearchPlace): [number, number][] =>
    lines.map((line) => [line.line, weightOf(line, place, limits)]);
  const weights = new Map(lines.length > 0 ? source?.part.within(weigh) : []);
  const bestLine = Math.max(0, ...weights.values());
  return { candidate, weights, score: scoreFile({ path, lineCount: hit?.lineCount ?? 0, best: bestLine, words }) };
}

function weightOf(line: HitLine, { content }: SearchPlace, { lineCharacters }: JobLimits): number {
  const { text, ranges } = showLine(content.text(line.start, line.end), line, lineCharacters);
  const definition = Math.max(0, ...ranges.map(([start, end]) => definitionWeight(text, start, end)));
  return lineWeight({ isWord: isWord(line), definition, matches: line.ranges.length });
}

function show(rated: Rated, limits: JobLimits): FoundLines {
  const { score, candidate } = rated;
  const { target, file, path, hit, source } = candidate;
  const found = { target, file, path, score, matchCount: hit?.lineCount ?? 0 };
  if (!source || !hit || hit.lines.length === 0) return { ...found, chunks: [], matches: [] };
  const { start, end } = source.part.shard.documentRange(source.document);
  const { lineCharacters } = limits;
  const { document, shown } = source.part.within(({ content }) => ({
    document: new DocumentLines(content.text(start, end)),
    shown: new Map(
      hit.lines.map((line) => [line.line, showLine(content.text(line.start, line.end), line, lineCharacters)]),
    ),
  }));
  return { ...found, ...linesToShow(rated, { document, shown, limits }) };
}

interface Shown {
  readonly document: DocumentLines;
  /** Lines with matches, by their numbers. */
  readonly shown: ReadonlyMap<number, ShownLine>;
  readonly limits: JobLimits;
}

function linesToShow({ weights }: Rated, { document, shown, limits }: Shown): Pick<FoundLines, 'chunks' | 'matches'> {
  const chunks = chunksOf(
    [...shown.keys()].map((line) => ({ line, weight: weights.get(line) ?? 0 })),
    {
      lineCount: document.count,
      textOf: (line) => shown.get(line)?.text ?? document.text(line, limits.lineCharacters),
    },
    limits,
  );
  const isShown = (line: number): boolean =>
    chunks.some((chunk) => line + 1 >= chunk.startLine && line < chunk.endLine);
  const matches = [...shown].flatMap(([line, { text, ranges }]) =>
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
