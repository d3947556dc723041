/** What hunks are shown to. */
export interface HunkSink {
  /** The line with `@@`. */
  hunk?(path: string, header: string): void;
  /** A line of the hunk with its marker, without its end. The buffer is valid during the call only. */
  line?(line: Buffer): void;
}

interface Line {
  /** Without its marker. */
  readonly text: Buffer;
  /** Whether the file ends with it, without a line end. */
  isOpen: boolean;
}

const [plus, backslash] = [43, 92];
/** Lines around a change that `StoredRepository.patches` gives, unless other ones are asked for. */
export const patchContextLines = 3;
/** Bytes that are compared; of more all is removed and all is added. */
const mostBytes = 4 << 20;
const openNote = Buffer.from('\\ No newline at end of file');

/**
 * A change from a file to a link or a submodule, or back. Git prints it as a deletion and a creation, but searches it as one change
 * of text: lines at the beginning and at the end that both have did not change, and there are none where one of them is binary.
 */
export class TypeChange {
  readonly #path: string;
  readonly #sink: HunkSink;
  readonly #headers: string[] = [];
  readonly #removed: Line[] = [];
  readonly #added: Line[] = [];
  #bytes = 0;
  #isBinary = false;

  constructor(path: string, sink: HunkSink) {
    this.#path = path;
    this.#sink = sink;
  }

  binary(): void {
    this.#isBinary = true;
  }

  hunk(header: string): void {
    if (this.#isLong) this.#sink.hunk?.(this.#path, header);
    else this.#headers.push(header);
  }

  line(line: Buffer): void {
    if (this.#isLong) return this.#sink.line?.(line);
    const last = this.#added.at(-1) ?? this.#removed.at(-1);
    if (line[0] === backslash && last) last.isOpen = true;
    else (line[0] === plus ? this.#added : this.#removed).push({ text: Buffer.from(line.subarray(1)), isOpen: false });
    this.#bytes += line.length;
    if (this.#isLong) this.#showHalves();
  }

  /** All has been printed. */
  end(): void {
    if (this.#isLong || this.#isBinary) return;
    const { before, after } = this.#unchanged();
    if (before + after === 0) this.#showHalves();
    else this.#showOne(before, after);
  }

  get #isLong(): boolean {
    return this.#bytes > mostBytes;
  }

  /** Lines that both have at the beginning and at the end. */
  #unchanged(): { before: number; after: number } {
    const [old, now] = [this.#removed, this.#added];
    const most = Math.min(old.length, now.length);
    let before = 0;
    while (before < most && isSame(old[before], now[before])) before += 1;
    let after = 0;
    while (after < most - before && isSame(old.at(-1 - after), now.at(-1 - after))) after += 1;
    return { before, after };
  }

  #showHalves(): void {
    const halves = [this.#removed, this.#added].filter(({ length }) => length > 0);
    for (const [index, lines] of halves.entries()) {
      this.#sink.hunk?.(this.#path, this.#headers[index] ?? '');
      this.#show(lines === this.#added ? '+' : '-', lines);
    }
  }

  #showOne(before: number, after: number): void {
    const [old, now] = [this.#removed, this.#added];
    const [oldEnd, newEnd] = [old.length - after, now.length - after];
    if (before === oldEnd && before === newEnd) return;
    const start = Math.max(0, before - patchContextLines);
    const shown = Math.min(after, patchContextLines) - start;
    this.#sink.hunk?.(this.#path, `@@ -${range(start, oldEnd + shown)} +${range(start, newEnd + shown)} @@`);
    this.#show(' ', old.slice(start, before));
    this.#show('-', old.slice(before, oldEnd));
    this.#show('+', now.slice(before, newEnd));
    this.#show(' ', old.slice(oldEnd, oldEnd + patchContextLines));
  }

  #show(marker: string, lines: readonly Line[]): void {
    for (const { text, isOpen } of lines) {
      this.#sink.line?.(Buffer.concat([Buffer.from(marker), text]));
      if (isOpen) this.#sink.line?.(openNote);
    }
  }
}

const isSame = (a: Line | undefined, b: Line | undefined): boolean =>
  a !== undefined && b !== undefined && a.isOpen === b.isOpen && a.text.equals(b.text);

const range = (start: number, lines: number): string =>
  lines === 1 ? `${start + 1}` : `${lines === 0 ? start : start + 1},${lines}`;
