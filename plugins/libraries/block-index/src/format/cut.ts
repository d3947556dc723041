/** Text is cut at line ends into blocks of about this many bytes. */
export const BLOCK_BYTES = 4096;
/** A longer line is a group of slices. */
export const LONG_LINE = 8192;
/** A slice's keys cover this many bytes after it, so a literal lies in the slice in which it starts. */
export const SLICE_OVERLAP = 1024;
/** A document up to this size shares its block with others. */
export const SMALL_DOCUMENT = 6144;

const NEWLINE = 10;

/** A piece of a document: whole lines, or one line longer than LONG_LINE. */
export interface Piece {
  readonly from: number;
  readonly to: number;
  readonly isLongLine: boolean;
}

/** Cuts a document into blocks of whole lines (at least BLOCK_BYTES but for the last and those before a long line) and long lines. */
export function* cut(text: Uint8Array): Generator<Piece> {
  for (let from = 0; from < text.length; ) {
    if (text.length - from <= SMALL_DOCUMENT) return yield { from, to: text.length, isLongLine: false };
    const to = lineEnd(text, from + BLOCK_BYTES - 1);
    if (to - from <= LONG_LINE) yield { from, to, isLongLine: false };
    else {
      const start = Math.max(from, text.lastIndexOf(NEWLINE, from + BLOCK_BYTES - 2) + 1);
      if (start > from) yield { from, to: start, isLongLine: false };
      yield { from: start, to, isLongLine: to - start > LONG_LINE };
    }
    from = to;
  }
}

function lineEnd(text: Uint8Array, from: number): number {
  const newline = text.indexOf(NEWLINE, from);
  return newline < 0 ? text.length : newline + 1;
}
