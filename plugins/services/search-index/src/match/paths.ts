import { emptyMatch } from '@sextant/library-block-index';
import type { Matches } from '@sextant/library-block-index';
import type { Job, PathLeaf, Term, TextLeaf } from '../pool/protocol.ts';
import { isWithinWord, wholeNameScore } from '../rank/score.ts';
import { nameWeights } from '../rank/weights.ts';
import type { AttachedSnapshot } from '../snapshot/attached-snapshot.ts';
import { BitSet } from './bit-set.ts';

/** Tells for which files of a snapshot a leaf of a query is true by their path. */
export const pathPredicate =
  (snapshot: AttachedSnapshot, { terms }: Pick<Job, 'terms'>, checkpoint: () => void) =>
  (leaf: TextLeaf | PathLeaf): BitSet => {
    const { handle } = snapshot;
    const term = termOf(leaf, terms);
    if (!term || handle.files === 0) return new BitSet(handle.files);
    const files = snapshot.withPath(term, checkpoint);
    if (leaf.kind === 'text' || leaf.scope === 'file') return files;
    return files.isEmpty ? files : BitSet.all(handle.files);
  };

const patterns = new WeakMap<PathLeaf, Term>();

/** What a leaf looks for. Memoized, as a term is compiled once for all snapshots. */
export function termOf(leaf: TextLeaf | PathLeaf, terms: readonly Term[]): Term | undefined {
  if (leaf.kind === 'text') return terms[leaf.term];
  const term = patterns.get(leaf) ?? { regex: leaf.pattern, foldCase: true };
  patterns.set(leaf, term);
  return term;
}

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
