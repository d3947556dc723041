/** How many files of a commit are searched, and how many are found by their names only. */
export interface FileCounts {
  readonly files: number;
  readonly binary: number;
  readonly tooLarge: number;
  /** Symbolic links. */
  readonly withoutText: number;
  /** Those whose content the repository lacks: a partial clone, or a damaged one. */
  readonly missing: number;
  /** Searched, and ranked last. */
  readonly generated: number;
}

export const noFiles: FileCounts = { files: 0, binary: 0, tooLarge: 0, withoutText: 0, missing: 0, generated: 0 };

export const addCounts = (a: FileCounts, b: FileCounts): FileCounts => ({
  files: a.files + b.files,
  binary: a.binary + b.binary,
  tooLarge: a.tooLarge + b.tooLarge,
  withoutText: a.withoutText + b.withoutText,
  missing: a.missing + b.missing,
  generated: a.generated + b.generated,
});
