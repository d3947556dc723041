/** What of a message is looked for as it stands there. */
export interface Run {
  readonly text: string;
  readonly words: number;
}

/** Fewer words side by side tell no message from another. */
const leastOfPiece = 3;
/** Most pieces of a text, the longest of them: a log that is pasted has many. */
const maxPieces = 6;
/** No word is longer: what is between blanks may be anything, and of any length. */
const longestWord = 64;
/** A word of letters, and what stands before and behind it. */
const plainWord = /^(\p{P}*)(\p{L}[\p{L}'’-]*?)(\p{P}*)$/u;

/**
 * The pieces of a message that code may have as they are: where one sees a value (`'tasks.add'`, `42`, `/tmp/x`, `[main]`),
 * code has something else, and where a sentence ends the next may be in another place.
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

/** So many words side by side, of the lines of a text that have several; all of a line unless said. */
export function runsIn(text: string, length?: number): string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const words = [...line.matchAll(/[\p{L}\p{N}_]+/gu)];
    const ends = words.length > 1 ? words.slice((length ?? words.length) - 1) : [];
    return ends.map((last, first) => line.slice(words[first]?.index, last.index + last[0].length).toLowerCase());
  });
}
