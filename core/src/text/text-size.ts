/** As tokenizers split it: parts of names, digits, line ends with the empty lines before them, indents, punctuation, pairs of other letters, and signs for words. */
const pieces = /[A-Z]?[a-z]+|[A-Z]+|\d{1,3}|\s*\n|[^\S\n]{2,}|[!-/:-@[-`{-~]+|[\u0080-\u2dff]{1,2}|\P{ASCII}/gu;
const letters = /^[A-Za-z]/;
const punctuation = /^[!-/:-@[-`{-~]/;
/** Longer pieces are several tokens. */
const charactersOfToken = { word: 8, punctuation: 3 };

/** About how many tokens a language model reads: of code and prose rather too many, of random characters up to a fifth too few. */
function tokensIn(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(pieces)) {
    if (letters.test(piece)) tokens += Math.ceil(piece.length / charactersOfToken.word);
    else if (punctuation.test(piece)) tokens += Math.ceil(piece.length / charactersOfToken.punctuation);
    else tokens += 1;
  }
  return tokens;
}

/** Bytes that one token of ordinary code has, at the least. */
const bytesOfToken = 4.2;
/** A UTF-16 code unit is one token at most. */
const mostOfUnit = bytesOfToken;

/**
 * How large a text is for those who read it: its bytes (UTF-8), or those of ordinary code with as many tokens where that is more. Checksums and
 * diffs have two to three times the tokens of prose.
 */
export const textSize = (text: string): number =>
  Math.max(Buffer.byteLength(text), Math.ceil(tokensIn(text) * bytesOfToken));

/** Whether a text is within a size. Of most texts the length tells. */
export const fitsSize = (text: string, size: number): boolean =>
  text.length * mostOfUnit <= size || (text.length <= size && textSize(text) <= size);

/** The beginning of a text within a size: as many lines as fit, or what surely fits of the first. */
export function beginningWithin(text: string, size: number): string {
  let [left, end] = [size, 0];
  for (let next = 0; next < text.length; ) {
    const lineEnd = text.indexOf('\n', next);
    next = lineEnd < 0 ? text.length : lineEnd + 1;
    left -= textSize(text.slice(end, next));
    if (left < 0) break;
    end = next;
  }
  if (end > 0) return text.slice(0, end).replace(/\n$/, '');
  return text.slice(0, Math.max(0, Math.floor(size / mostOfUnit))).replace(/[\uD800-\uDBFF]$/, '');
}
