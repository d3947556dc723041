import { cut } from '@sextant/core';
import { textOf } from '@sextant/contracts';
import type { Hunk, PatchSink } from '@sextant/contracts';

/** The hunks of one file, as far as they fit. */
export interface FilePatch {
  readonly hunks: readonly Hunk[];
  readonly isTruncated: boolean;
  /** Lines, also those that do not fit. */
  readonly added: number;
  readonly deleted: number;
  readonly isBinary: boolean;
  /** Whether git could not compare the file in time. */
  readonly isLate?: boolean;
}

const patchLimits = {
  /** Characters of one line. */
  line: 1000,
  /** Lines of one file. */
  fileLines: 1500,
  /** Characters of one file. */
  file: 60_000,
  /** Characters of all files of a page. */
  page: 240_000,
} as const;

/** What all patches of one page may take together. */
export class PageBudget {
  #left: number = patchLimits.page;

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  spend(characters: number): void {
    this.#left -= characters;
  }
}

interface OpenHunk extends Hunk {
  readonly lines: string[];
}

interface OpenPatch {
  readonly hunks: OpenHunk[];
  isTruncated: boolean;
  isBinary: boolean;
  added: number;
  deleted: number;
  lines: number;
  characters: number;
}

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

/** Collects the patches of some files, as far as they fit into a page. */
export class PagePatches implements PatchSink {
  /** By path; a file is missing while its diff has not begun. The path of a diff of two contents is empty. */
  readonly patches = new Map<string, FilePatch>();
  readonly #budget: PageBudget;
  readonly #wantsCounts: boolean;
  #patch: OpenPatch | undefined;
  #hunk: OpenHunk | undefined;

  /** `wantsCounts`: lines are counted also where they do not fit. */
  constructor(budget: PageBudget, wantsCounts: boolean) {
    this.#budget = budget;
    this.#wantsCounts = wantsCounts;
  }

  get isDone(): boolean {
    return this.#budget.isSpent && !this.#wantsCounts;
  }

  file(path: string): void {
    this.#patch = { hunks: [], isTruncated: false, isBinary: false, added: 0, deleted: 0, lines: 0, characters: 0 };
    this.patches.set(path, this.#patch);
  }

  binary(): void {
    if (this.#patch) this.#patch.isBinary = true;
  }

  hunk(_path: string, header: string): void {
    const [, oldStart, oldLines = '1', newStart, newLines = '1', section = ''] = hunkHeader.exec(header) ?? [];
    const numbers = {
      oldStart: Number(oldStart),
      oldLines: Number(oldLines),
      newStart: Number(newStart),
      newLines: Number(newLines),
    };
    this.#hunk = { ...numbers, section, lines: [] };
    if (this.#patch && !this.#isOverLimit(this.#patch)) this.#patch.hunks.push(this.#hunk);
  }

  line(line: Buffer): void {
    const patch = this.#patch;
    if (!patch) return;
    // Git may leave out the marker of an empty line.
    const text = line.length === 0 ? ' ' : textOf(line);
    if (text.startsWith('+')) patch.added += 1;
    if (text.startsWith('-')) patch.deleted += 1;
    if (this.#isOverLimit(patch)) return;
    const kept = cut(text, patchLimits.line);
    if (kept !== text) patch.isTruncated = true;
    patch.lines += 1;
    patch.characters += kept.length;
    this.#budget.spend(kept.length);
    this.#hunk?.lines.push(kept);
  }

  #isOverLimit(patch: OpenPatch): boolean {
    const isOver = this.#budget.isSpent || patch.lines >= patchLimits.fileLines || patch.characters >= patchLimits.file;
    if (isOver) patch.isTruncated = true;
    return isOver;
  }
}
