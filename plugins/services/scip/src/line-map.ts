interface Change {
  /** The first line that it concerns, in the old version and in the new one. */
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

  /** The new number of a line, both from 1; undefined for one that was changed or removed. */
  moved(line: number): number | undefined {
    const change = this.#lastFrom(({ oldFirst }) => oldFirst <= line);
    if (!change) return line;
    const behind = line - change.oldFirst - change.oldLines;
    return behind < 0 ? undefined : change.newFirst + change.newLines + behind;
  }

  /** Whether a line of the new version, from 1, stood in the old one. */
  isKept(line: number): boolean {
    const change = this.#lastFrom(({ newFirst }) => newFirst <= line);
    return !change || line >= change.newFirst + change.newLines;
  }

  /** The last change that has begun: by halves, since an index may ask for every line of a file that changed everywhere. */
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
