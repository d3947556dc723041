const header = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const [space, plus, minus] = [32, 43, 45];

/** Counts the lines of a hunk: how long it is says its header, whatever its lines look like. */
export class HunkLines {
  #oldLeft = 0;
  #newLeft = 0;

  /** Whether lines of the hunk are still to come. */
  get isOpen(): boolean {
    return this.#oldLeft > 0 || this.#newLeft > 0;
  }

  begin(line: string): void {
    const [, oldLines = '1', newLines = '1'] = header.exec(line) ?? [];
    this.#oldLeft = Number(oldLines);
    this.#newLeft = Number(newLines);
  }

  count(line: Uint8Array): void {
    // Git may leave out the marker of an empty line.
    const marker = line[0] ?? space;
    if (marker === minus || marker === space) this.#oldLeft -= 1;
    if (marker === plus || marker === space) this.#newLeft -= 1;
  }
}
