import { basename } from 'node:path/posix';
import { emptyMatch } from '@sextant/library-block-index';
import type { Matches } from '@sextant/library-block-index';
import { BitSet } from '../snapshot/bit-set.ts';
import { nameWeights } from './weights.ts';

// The score of a name stands here twice. `nameScore` reads a path and is the definition. `PathScores` computes the same from
// the bytes around each match, without a string for each path; a test compares them.

/** A term with a dot is the end of the path, behind so many folders (`redis.conf`, `etcdmain/etcd.go`). Rounded to hundredths, as the index keeps it. */
export const wholeNameScore = (folders: number): number =>
  Math.max(nameWeights.whole, Math.round((100 * nameWeights.wholeInRoot) / (1 + folders)) / 100);

/**
 * How well a path matches, on average over the terms (in lower case): 0 to 1. A path that ends with a term with a dot
 * gets more.
 */
export function nameScore(path: string, terms: readonly string[]): number {
  const lower = path.toLowerCase();
  const name = basename(lower);
  const stem = name.replace(/\..*$/, '');
  const written = lower.length === path.length ? basename(path) : name;
  const scores = terms.map((term) => scoreOf(term, { path: lower, name, stem, written }));
  return terms.length === 0 ? 0 : scores.reduce((sum, score) => sum + score, 0) / terms.length;
}

interface NamedPath {
  readonly path: string;
  readonly name: string;
  readonly stem: string;
  /** The name with its capitals. */
  readonly written: string;
}

function scoreOf(term: string, { path, name, stem, written }: NamedPath): number {
  const folders = term.includes('.') ? foldersBefore(path, term) : undefined;
  if (folders !== undefined) return wholeNameScore(folders);
  if (term === stem || term === name || term === path) return nameWeights.whole;
  let at = name.indexOf(term);
  if (at < 0) return path.includes(term) ? nameWeights.folder : 0;
  while (at >= 0 && isWithinWord(written.charCodeAt(at - 1), written.charCodeAt(at)))
    at = name.indexOf(term, at + term.length);
  return at < 0 ? nameWeights.withinWord : nameWeights.name;
}

/** The folders before a name that a path ends with; undefined where it does not. */
function foldersBefore(path: string, name: string): number | undefined {
  let at = path.indexOf(name);
  // As the index finds matches: none begins within another.
  while (at >= 0 && at + name.length < path.length) at = path.indexOf(name, at + name.length);
  if (at < 0 || (at > 0 && path[at - 1] !== '/')) return undefined;
  return path.slice(0, at).split('/').length - 1;
}

/** Whether a letter continues the word of the one before it; a capital begins a word. Letters of ASCII alone; NaN is none. */
export const isWithinWord = (before: number, character: number): boolean =>
  character >= 0x61 && character <= 0x7a && (before | 0x20) >= 0x61 && (before | 0x20) <= 0x7a;

/** The files whose path has a term, and how well each path matches it: see `nameScore`. */
export interface PathMatches {
  readonly files: BitSet;
  readonly scoreOf: (file: number) => number;
}

const slash = 0x2f;
const dot = 0x2e;
const hundredths = (score: number): number => Math.round(100 * score);
const reused = emptyMatch();

/** Collects matches of a term in the paths of `text`, one path a line. The score is that of `nameScore`, if term and paths are ASCII. */
export class PathScores implements PathMatches {
  readonly files: BitSet;
  readonly #text: Uint8Array;
  readonly #hasDot: boolean;
  /** Hundredths, by file. Made for the first match, because most terms are in no path. */
  #scores: Uint16Array | undefined;

  constructor(files: number, text: Uint8Array, term: string) {
    this.files = new BitSet(files);
    this.#text = text;
    this.#hasDot = term.includes('.');
  }

  add(matches: Matches): void {
    const scores = (this.#scores ??= new Uint16Array(this.files.size));
    for (let i = 0; i < matches.length; i += 1) {
      const { line } = matches.at(i, reused);
      this.files.add(line);
      const score = hundredths(this.#scoreOf(reused));
      if (score > (scores[line] ?? 0)) scores[line] = score;
    }
  }

  readonly scoreOf = (file: number): number => (this.#scores?.[file] ?? 0) / 100;

  #scoreOf({ lineStart, lineEnd, start, end }: ReturnType<typeof emptyMatch>): number {
    const before = this.#text.lastIndexOf(slash, lineEnd - 1);
    const name = before < lineStart ? lineStart : before + 1;
    const isTail = end === lineEnd && (start === lineStart || this.#text[start - 1] === slash);
    if (isTail && this.#hasDot) return wholeNameScore(this.#foldersIn(lineStart, start));
    if (start === lineStart && end === lineEnd) return nameWeights.whole;
    if (start < name) return nameWeights.folder;
    const isStem = end === lineEnd || (this.#text[end] === dot && !this.#hasDot);
    if (start === name) return isStem ? nameWeights.whole : nameWeights.name;
    return isWithinWord(this.#text[start - 1] ?? 0, this.#text[start] ?? 0) ? nameWeights.withinWord : nameWeights.name;
  }

  #foldersIn(from: number, to: number): number {
    let folders = 0;
    for (let i = from; i < to; i += 1) if (this.#text[i] === slash) folders += 1;
    return folders;
  }
}
