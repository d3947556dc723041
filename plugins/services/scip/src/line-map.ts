import { readPatches } from '@sextant/contracts';
import type { StoredRepository } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';

/** Cached paths of changed files, and cached maps of lines. */
const rememberedPaths = 200_000;
const rememberedFiles = 2000;

/** From the commit of an index to the one that was asked about. */
interface Span {
  readonly repository: StoredRepository;
  readonly from: string;
  readonly to: string;
}

/** Maps lines of files from one commit to another, with caches. */
export class Differences {
  readonly #changed = new LRUCache<string, ReadonlySet<string>>({
    maxSize: rememberedPaths,
    sizeCalculation: ({ size }) => size + 1,
  });
  readonly #maps = new LRUCache<string, LineMap>({ max: rememberedFiles });

  async of(span: Span, path: string, signal: AbortSignal): Promise<LineMap> {
    const { repository, from, to } = span;
    if (from === to || !(await this.#changedIn(span, signal)).has(path)) return LineMap.same;
    const key = [repository.name, from, to, path].join('\0');
    const known = this.#maps.get(key) ?? (await changedLines(span, path, signal));
    this.#maps.set(key, known);
    return known;
  }

  async #changedIn({ repository, from, to }: Span, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const key = [repository.name, from, to].join('\0');
    const known = this.#changed.get(key);
    if (known) return known;
    const changed = new Set<string>();
    for await (const entries of repository.changes(from, to, { signal }))
      for (const { path } of entries) changed.add(path);
    this.#changed.set(key, changed);
    return changed;
  }
}

async function changedLines({ repository, from, to }: Span, path: string, signal: AbortSignal): Promise<LineMap> {
  const headers: string[] = [];
  const pieces = repository.patches({ from, to, paths: [path] }, { wants: 'hunks', contextLines: 0, signal });
  await readPatches(pieces, { hunk: (_path, header) => headers.push(header) });
  return LineMap.fromDiff(headers.join('\n'));
}

interface Change {
  /** Its first line in the old version and in the new one. */
  readonly oldFirst: number;
  readonly newFirst: number;
  readonly oldLines: number;
  readonly newLines: number;
}

/** Where the lines of a file are in another version of it. */
export class LineMap {
  /** In the order of lines. */
  readonly #changes: readonly Change[];

  static readonly same = new LineMap([]);

  /** From the output of `git diff -U0` for one file. */
  static fromDiff(diff: string): LineMap {
    const headers = diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm);
    return new LineMap(
      [...headers].map(([, oldStart, oldCount = '1', newStart, newCount = '1']) => {
        const [oldLines, newLines] = [Number(oldCount), Number(newCount)];
        // Git names the line before an insertion, and before what was removed.
        const [oldFirst, newFirst] = [
          Number(oldStart) + Number(oldLines === 0),
          Number(newStart) + Number(newLines === 0),
        ];
        return { oldFirst, newFirst, oldLines, newLines };
      }),
    );
  }

  private constructor(changes: readonly Change[]) {
    this.#changes = changes;
  }

  /** The new number of a line. Lines count from 1. Undefined if the line was changed or removed. */
  moved(line: number): number | undefined {
    const change = this.#lastFrom(({ oldFirst }) => oldFirst <= line);
    if (!change) return line;
    const behind = line - change.oldFirst - change.oldLines;
    return behind < 0 ? undefined : change.newFirst + change.newLines + behind;
  }

  /** Whether a line of the new version was in the old one. Lines count from 1. */
  isKept(line: number): boolean {
    const change = this.#lastFrom(({ newFirst }) => newFirst <= line);
    return !change || line >= change.newFirst + change.newLines;
  }

  /** The last change that has begun. Found by halves, because a file may have many changes, and each of its lines is asked for. */
  #lastFrom(hasBegun: (change: Change) => boolean): Change | undefined {
    let [low, high] = [0, this.#changes.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const change = this.#changes[middle];
      if (change && hasBegun(change)) low = middle + 1;
      else high = middle;
    }
    return this.#changes[low - 1];
  }
}
