interface Change {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newLines: number;
}

/** Where the lines of a file are in another version of it. */
export class LineMap {
  readonly #changes: readonly Change[];

  static readonly same = new LineMap([]);

  /** From the output of `git diff -U0` for one file. */
  static fromDiff(diff: string): LineMap {
    const headers = diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/gm);
    return new LineMap(
      [...headers].map(([, oldStart, oldLines = '1', newLines = '1']) => ({
        oldStart: Number(oldStart),
        oldLines: Number(oldLines),
        newLines: Number(newLines),
      })),
    );
  }

  private constructor(changes: readonly Change[]) {
    this.#changes = changes;
  }

  /** The new number of a line, both from 1; undefined for one that was changed or removed. */
  moved(line: number): number | undefined {
    let shift = 0;
    for (const { oldStart, oldLines, newLines } of this.#changes) {
      // Git names the line before an insertion.
      const first = oldLines === 0 ? oldStart + 1 : oldStart;
      if (line < first) break;
      if (line < first + oldLines) return undefined;
      shift += newLines - oldLines;
    }
    return line + shift;
  }

  /** Whether a line of the new version, from 1, stood in the old one. */
  isKept(line: number): boolean {
    let shift = 0;
    for (const { oldStart, oldLines, newLines } of this.#changes) {
      const first = shift + (oldLines === 0 ? oldStart + 1 : oldStart);
      if (line < first) return true;
      if (line < first + newLines) return false;
      shift += newLines - oldLines;
    }
    return true;
  }
}
