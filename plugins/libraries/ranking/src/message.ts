/** A part of a message that is searched as a phrase. */
export interface Run {
  readonly text: string;
  readonly words: number;
}

/** Fewer adjacent words do not identify a message. */
const leastOfPiece = 3;
/** Maximum number of parts, the longest. A pasted log has many. */
const maxPieces = 6;
/** Longer tokens are values, not words. */
const longestWord = 64;
/** A word of letters, and the punctuation before and after it. */
const plainWord = /^(\p{P}*)(\p{L}[\p{L}'’-]*?)(\p{P}*)$/u;

/**
 * The parts of a message that code may contain literally. A part ends at a value (`'tasks.add'`, `42`, `/tmp/x`, `[main]`), which code
 * inserts at run time, and at the end of a sentence.
 */
export function piecesIn(text: string, leastWords = leastOfPiece): Run[] {
  const pieces = text.split(/\r?\n/).flatMap((line) => piecesOfLine(line));
  return pieces
    .filter(({ length }) => length >= leastWords)
    .sort((a, b) => b.length - a.length)
    .slice(0, maxPieces)
    .map((words) => ({ text: words.join(' '), words: words.length }));
}

function piecesOfLine(line: string): string[][] {
  const pieces: string[][] = [[]];
  for (const token of line.split(/\s+/)) {
    const [, before = '', word = '', after = ''] = (token.length <= longestWord && plainWord.exec(token)) || [];
    const isValue = word === '' || (before !== '' && after !== '');
    if (isValue || before !== '') pieces.push([]);
    if (!isValue) pieces.at(-1)?.push(word.toLowerCase());
    if (isValue || after !== '') pieces.push([]);
  }
  return pieces;
}

/** The runs of `length` adjacent words of each line with several words; all words of a line without `length`. */
export function runsIn(text: string, length?: number): string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const words = [...line.matchAll(/[\p{L}\p{N}_]+/gu)];
    const ends = words.length > 1 ? words.slice((length ?? words.length) - 1) : [];
    return ends.map((last, first) => line.slice(words[first]?.index, last.index + last[0].length).toLowerCase());
  });
}
