import {
  chunksOf,
  cut,
  definitionWeight,
  differentTexts,
  isWord,
  lineWeight,
  scoreFile,
  scorePath,
  shareDefined,
  textsNeeded,
  WordsInRow,
} from '@sextant/library-search-results';
import type { MatchPlace } from '@sextant/library-search-results';
import { FileText, apart } from './file-text.ts';
import type { LineMatches, Range } from './file-text.ts';
import type { Expressions } from './expressions.ts';
import type { FileSearch, FileToMatch, MatchedFile } from './protocol.ts';
import { shownLine } from './shown-line.ts';
import type { ShownLine } from './shown-line.ts';
import { textOf } from './text.ts';
import { shownTexts, truth } from './truth.ts';
import type { Leaf } from './truth.ts';

/** Lines of a file that are looked at to choose what is shown. */
const linesKept = 1000;
/** A definition is told by what stands so near. */
const definitionReach = 300;

/** The file as a result, or undefined when it is none. */
export function matchFile(search: FileSearch, file: FileToMatch, expressions: Expressions): MatchedFile | undefined {
  const { path, bytes } = file;
  const text = bytes && textOf(bytes);
  const content = text === undefined ? undefined : new FileText(text);
  const isTrue = (leaf: Leaf): boolean => {
    const expression = expressions.get(leaf.source);
    return expression.test(path) || (leaf.kind === 'text' && content !== undefined && content.has(leaf, expression));
  };
  if (!truth(search.query, isTrue)) return undefined;
  const found: LineMatches = new Map();
  const texts = shownTexts(search.query);
  for (const leaf of texts) content?.addMatches(leaf, expressions.get(leaf.source), found);
  const searched = { texts: texts.length, needed: textsNeeded(search.query), words: new WordsInRow(search.words) };
  return show(search, { path, lines: content?.lines ?? [], searched }, found);
}

/** What is searched. */
interface Searched {
  readonly texts: number;
  /** A file that matches has so many of them at least. */
  readonly needed: number;
  readonly words: WordsInRow;
}

function show(
  { words, wantsPathsOnly, limits }: FileSearch,
  { path, lines, searched }: { path: string; lines: readonly string[]; searched: Searched },
  found: LineMatches,
): MatchedFile {
  const kept = [...found].sort(([a], [b]) => a - b).slice(0, linesKept);
  const shown = new Map<number, ShownLine>();
  const rated = kept.map(([line, all]) => {
    const text = lines[line] ?? '';
    const ranges = apart(all);
    shown.set(line, shownLine(text, ranges, limits.lineCharacters));
    return { line, weight: weightOf(text, ranges, searched) };
  });
  const lineOf = (line: number): string =>
    cut(shown.get(line)?.text ?? (lines[line] ?? '').replace(/\r$/, ''), limits.lineCharacters);
  const chunks = chunksOf(rated, { lineCount: lines.length, lineOf }, limits);
  const isShown = (line: number): boolean =>
    chunks.some(({ startLine, endLine }) => line + 1 >= startLine && line + 1 <= endLine);
  const matches = [...shown].flatMap(([line, { text, ranges }]) =>
    isShown(line) ? [{ line: line + 1, text, ranges }] : [],
  );
  const best = Math.max(0, ...rated.map(({ weight }) => weight));
  const score = wantsPathsOnly ? scorePath(path, words) : scoreFile(path, words, { lineCount: found.size, best });
  return { path, score, matchCount: found.size, chunks, matches };
}

function weightOf(line: string, ranges: readonly Range[], { texts, needed, words }: Searched): number {
  const matches = ranges.map(([start, end]) => placeIn(line, start, end));
  const rows = words.rowsIn(matches, (start, end) => line.slice(start, end));
  const named = [...rows.filter(({ isName }) => isName), ...matches.map((match) => ({ ...match, words: 1 }))];
  const hasWord = [...rows, ...matches].some(isWord);
  // What has a part of a name is no definition of a word beside it.
  const definition = Math.max(
    0,
    ...(hasWord ? named.filter(isWord) : named).map(
      (each) => shareDefined(each.words, needed) * nearDefinition(line, each.start, each.end),
    ),
  );
  const inRow = Math.max(1, ...rows.map((row) => row.words));
  const found = ranges.map(([start, end]) => line.slice(start, end));
  const beside = Math.max(1, differentTexts(found, texts));
  return lineWeight({ isWord: hasWord, definition, beside, texts, inRow });
}

const nearDefinition = (line: string, start: number, end: number): number =>
  start > definitionReach ? 0 : definitionWeight(line.slice(0, end + definitionReach), start, end);

const placeIn = (line: string, start: number, end: number): MatchPlace => ({
  start,
  end,
  isWordStart: !(isWordCharacter(line[start - 1]) && isWordCharacter(line[start])),
  isWordEnd: !(isWordCharacter(line[end - 1]) && isWordCharacter(line[end])),
});

const isWordCharacter = (text: string | undefined): boolean => text !== undefined && /[\p{L}\p{N}_]/u.test(text);
