import { BitSet } from '@sextant/library-block-index';
import {
  classWeights,
  explainFile,
  fileScore,
  nameScore,
  pathClassWeights,
  shallowness,
} from '@sextant/library-keyword-search';
import type { BestLine, FileFacts, SearchTerms } from '@sextant/library-keyword-search';
import type { Job } from '../match/job.ts';
import type { NameLevel } from '../match/partitions.ts';
import type { AttachedSnapshot } from '../snapshot/attached-snapshot.ts';
import type { SnapshotHandle } from '../snapshot/snapshot.ts';

interface ScoredSnapshot extends Pick<AttachedSnapshot, 'withPath' | 'pathOf' | 'foldersOf'> {
  readonly handle: Pick<SnapshotHandle, 'classes'>;
}

interface FileScoreContext {
  readonly job: Pick<Job, 'wantsPathsOnly'>;
  readonly checkpoint: () => void;
}

/** Levels for each point of a name score. Files whose path has no term are one more level. */
const levelsOfOne = 4;

/** The scores of the files of a snapshot for the terms of a query. As f32, because threads share the score that a file needs in that form. */
export class FileScore {
  readonly #snapshot: ScoredSnapshot;
  readonly #terms: SearchTerms;
  readonly #wantsPathsOnly: boolean;
  /** The matches in paths of each term that has any. */
  readonly #found: readonly PathMatches[];

  constructor(snapshot: ScoredSnapshot, terms: SearchTerms, { job, checkpoint }: FileScoreContext) {
    this.#snapshot = snapshot;
    this.#terms = terms;
    this.#wantsPathsOnly = job.wantsPathsOnly;
    const pathOf = (file: number): string => snapshot.pathOf(file);
    this.#found = terms.names
      .map((name) => pathMatches(snapshot.withPath(name, checkpoint), String(name.literal), pathOf))
      .filter(({ files }) => !files.isEmpty);
  }

  /** With so many lines that match, of which this is the best. */
  of(file: number, lineCount: number, { score }: Pick<BestLine, 'score'>): number {
    return Math.fround(fileScore(this.#factsOf(file, lineCount, score)));
  }

  /** The parts of the same score by name. */
  explain(file: number, lineCount: number, line: Pick<BestLine, 'score' | 'parts'>): Record<string, number> {
    return explainFile(this.#factsOf(file, lineCount, line.score), line.parts);
  }

  #factsOf(file: number, lineCount: number, best: number): FileFacts {
    return { weight: this.#weightOf(file), named: this.namedOf(file), best, lineCount };
  }

  /** What stands for the best line of a file that is ranked by its path alone. */
  lineOfPath(file: number): Pick<BestLine, 'score' | 'parts'> {
    const score = this.#wantsPathsOnly ? shallowness(this.#snapshot.foldersOf(file)) : 0;
    return { score, parts: undefined };
  }

  /** Upper bound of the score of a file before its text is read. `isNamed` is false if its path is known not to match; `defined`: see `boundOfFile`. */
  boundOf(file: number, isNamed: boolean, defined?: number): number {
    return this.#terms.boundOfFile(this.#weightOf(file), isNamed ? this.namedOf(file) : 0, defined);
  }

  /** No file whose name scores at most `named` scores more. */
  boundOfNamed(named: number): number {
    return this.#terms.boundOfFile(1, named);
  }

  #weightOf(file: number): number {
    const weights = this.#wantsPathsOnly ? pathClassWeights : classWeights;
    return weights[this.#snapshot.handle.classes[file] ?? 0] ?? 0;
  }

  /** How well the path of a file matches the terms: see `nameScore`. */
  namedOf(file: number): number {
    let sum = 0;
    for (const { scoreOf } of this.#found) sum += scoreOf(file);
    return sum === 0 ? 0 : sum / this.#terms.names.length;
  }

  /** Divides files by what their paths say. */
  levelsOf(files: BitSet): NameLevel[] {
    const named = this.#found.map((each) => each.files.and(files)).filter((each) => !each.isEmpty);
    if (named.length === 0) return [{ files, named: 0 }];
    const all = named.reduce((a, b) => a.or(b));
    const found = new Map<number, { files: BitSet; named: number }>();
    for (const file of all.numbers()) {
      const score = this.namedOf(file);
      const level = Math.ceil(score * levelsOfOne);
      const known = found.get(level) ?? { files: new BitSet(files.size), named: 0 };
      found.set(level, known);
      known.files.add(file);
      known.named = Math.max(known.named, score);
    }
    const others = files.without(all);
    return [...found.values(), ...(others.isEmpty ? [] : [{ files: others, named: 0 }])];
  }
}

/** The files whose path has a term, and how well each path matches it: see `nameScore`. */
interface PathMatches {
  readonly files: BitSet;
  readonly scoreOf: (file: number) => number;
}

/** The scores of sets of files that snapshots keep: the next search for a term has the same set. */
const scores = new WeakMap<BitSet, Map<number, number>>();

/** Scores are computed when they are first asked for. `files` are those whose path has the term. */
function pathMatches(files: BitSet, term: string, pathOf: (file: number) => string): PathMatches {
  const lower = term.toLowerCase();
  const known = scores.get(files) ?? new Map<number, number>();
  scores.set(files, known);
  const scoreOf = (file: number): number => {
    if (!files.has(file)) return 0;
    const score = known.get(file) ?? nameScore(pathOf(file), lower);
    known.set(file, score);
    return score;
  };
  return { files, scoreOf };
}
