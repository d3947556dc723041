import { SextantError } from '@sextant/core';

/** Longest line and longest body, in bytes. */
const maxLine = 16 * 1024;
const maxBody = 256 * 1024 * 1024;

/** Lines of a body as they come; neither it nor a line is held longer than it must. Throws `too_large`. */
export async function* readLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let size = 0;
  let rest = '';
  for await (const piece of pieces) {
    size += piece.byteLength;
    if (size > maxBody) throw tooLarge('the body', maxBody);
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if ([rest, ...lines].some(({ length }) => length > maxLine)) throw tooLarge('a line', maxLine);
    yield* lines.filter((line) => line.trim() !== '');
  }
  rest += decoder.decode();
  if (rest.trim() !== '') yield rest;
}

const tooLarge = (what: string, limit: number): SextantError =>
  new SextantError('too_large', `${what} is larger than ${limit} bytes; send it in smaller ones`);
