import { definitionWeight } from '@sextant/library-ranking';
import type { Vocabulary } from './vocabulary.ts';

/** Where a text says something of what a task is about. */
export interface Scan {
  readonly text: string;
  /** Offsets at which lines begin. */
  readonly lineStarts: readonly number[];
  /** Identifiers and numbers in the text. */
  readonly length: number;
  /** Per word of the vocabulary: how often it stands there, and in names that are defined there. */
  readonly counts: readonly number[];
  readonly defined: readonly number[];
  /** Per name of the vocabulary. */
  readonly names: readonly NameUse[];
  /** In the order of the text; at most a few thousand. */
  readonly hits: readonly Hit[];
}

export interface NameUse {
  readonly uses: number;
  /** Of the line that defines it most surely: from 0, a use, to 1. */
  readonly definition: number;
}

export interface Hit {
  /** From 0. */
  readonly line: number;
  readonly word: number;
  /** How surely its identifier is defined here. */
  readonly definition: number;
}

const identifier = /[\p{L}\p{N}_$]+/gu;
const mostHits = 4000;
const mostIdentifier = 200;

export function scan(text: string, vocabulary: Vocabulary): Scan {
  const lineStarts = startsOfLines(text);
  const counts = vocabulary.words.map(() => 0);
  const defined = vocabulary.words.map(() => 0);
  const names = vocabulary.names.map(() => ({ uses: 0, definition: 0 }));
  const hits: Hit[] = [];
  let length = 0;
  let line = 0;
  for (const { 0: found, index } of text.matchAll(identifier)) {
    length += 1;
    if (found.length > mostIdentifier) continue;
    const { words, name } = vocabulary.meaningOf(found);
    if (words.length === 0 && name < 0) continue;
    while ((lineStarts[line + 1] ?? Infinity) <= index) line += 1;
    const definition = definitionAt(
      text,
      { start: lineStarts[line] ?? 0, end: lineStarts[line + 1] ?? text.length },
      { index, length: found.length },
    );
    const use = names[name];
    if (use) {
      use.uses += 1;
      use.definition = Math.max(use.definition, definition);
    }
    for (const word of words) {
      counts[word] = (counts[word] ?? 0) + 1;
      if (definition > 0) defined[word] = (defined[word] ?? 0) + definition;
      if (hits.length < mostHits) hits.push({ line, word, definition });
    }
  }
  return { text, lineStarts, length, counts, defined, names, hits };
}

const mostOfLine = 300;

function definitionAt(
  text: string,
  { start, end }: { start: number; end: number },
  { index, length }: { index: number; length: number },
): number {
  const at = index - start;
  if (at > mostOfLine) return 0;
  return definitionWeight(text.slice(start, Math.min(end, start + mostOfLine + length)).trimEnd(), at, at + length);
}

function startsOfLines(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0 && at + 1 < text.length; at = text.indexOf('\n', at + 1))
    starts.push(at + 1);
  return starts;
}
