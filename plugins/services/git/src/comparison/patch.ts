import { isUtf8 } from 'node:buffer';
import type { Hunk } from '@sextant/contracts';

const newline = 10;

export interface Line {
  readonly bytes: Buffer;
  /** Whether the line is longer than what is kept of it. */
  readonly isCut: boolean;
}

/** Cuts output that arrives in pieces into lines, keeping only so much of each. */
export class LineSplitter {
  readonly #maxBytes: number;
  #rest: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that this piece completes, without their ends. */
  *take(chunk: Buffer): Generator<Line, void, void> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      yield this.#complete();
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(piece: Buffer): void {
    if (this.#length < this.#maxBytes) this.#rest.push(piece);
    this.#length += piece.length;
  }

  #complete(): Line {
    const [only] = this.#rest;
    const bytes = (only && this.#rest.length === 1 ? only : Buffer.concat(this.#rest)).subarray(0, this.#maxBytes);
    const isCut = this.#length > this.#maxBytes;
    this.#rest = [];
    this.#length = 0;
    return { bytes, isCut };
  }
}

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

export const patchLimits = {
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

/**
 * Reads patches line by line. How long a hunk is says its header, so that nothing in a file can pass for the beginning
 * of the next file. Names are not read at all: the files are known from elsewhere, in the same order.
 */
export class PatchParser {
  readonly patches: FilePatch[] = [];
  #patch: OpenPatch | undefined;
  #hunk: OpenHunk | undefined;
  #oldLeft = 0;
  #newLeft = 0;
  readonly #budget: PageBudget;

  constructor(budget: PageBudget) {
    this.#budget = budget;
  }

  add(line: Line): void {
    const text = textOf(line);
    if (this.#oldLeft > 0 || this.#newLeft > 0) this.#addLine(text, line.isCut);
    else if (text.startsWith('\\')) this.#keep(text);
    else if (text.startsWith('diff --git ')) this.#beginFile();
    else if (text.startsWith('@@ ')) this.#beginHunk(text);
    else if (text.startsWith('Binary files ') && this.#patch) this.#patch.isBinary = true;
  }

  #beginFile(): void {
    this.#patch = { hunks: [], isTruncated: false, isBinary: false, added: 0, deleted: 0, lines: 0, characters: 0 };
    this.patches.push(this.#patch);
  }

  #beginHunk(text: string): void {
    const [, oldStart, oldLines = '1', newStart, newLines = '1', section = ''] = hunkHeader.exec(text) ?? [];
    this.#oldLeft = Number(oldLines);
    this.#newLeft = Number(newLines);
    const numbers = {
      oldStart: Number(oldStart),
      oldLines: this.#oldLeft,
      newStart: Number(newStart),
      newLines: this.#newLeft,
    };
    this.#hunk = { ...numbers, section, lines: [] };
    if (!this.#patch || this.#isOverLimit(this.#patch)) return;
    this.#patch.hunks.push(this.#hunk);
  }

  #addLine(text: string, isCut: boolean): void {
    const marker = text.charAt(0);
    if (marker !== '+' && marker !== '\\') this.#oldLeft -= 1;
    if (marker !== '-' && marker !== '\\') this.#newLeft -= 1;
    if (this.#patch && marker === '+') this.#patch.added += 1;
    if (this.#patch && marker === '-') this.#patch.deleted += 1;
    // Git may leave out the marker of an empty line.
    this.#keep(text === '' ? ' ' : text);
    if (isCut && this.#patch) this.#patch.isTruncated = true;
  }

  #keep(text: string): void {
    const patch = this.#patch;
    if (!patch || this.#isOverLimit(patch)) return;
    const kept = text.length > patchLimits.line ? `${text.slice(0, patchLimits.line)}…` : text;
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

/** Each line by itself: a file may be in any encoding, and only its changed lines are seen. */
const textOf = ({ bytes, isCut }: Line): string =>
  isCut || isUtf8(bytes) ? bytes.toString() : bytes.toString('latin1');
