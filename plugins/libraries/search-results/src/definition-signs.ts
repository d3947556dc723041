/** Keywords of definitions that are a word. */
const words = (
  'class def defp defmodule defmacro defguard defn defun newtype interface type typedef struct enum union trait fn fun module namespace package const let var val ' +
  'object record protocol extension macro impl sub proc procedure message service rpc static alias'
).split(' ');

/** Keywords that begin a line with a method. */
const modifiers = 'public private protected static async override final abstract virtual inline get set'.split(' ');

/** A text that begins a line with a method, before its name. */
export const method = new RegExp(`^\\s*(?:(?:${modifiers.join('|')})\\s+)+[\\w<>[\\],.?\\s]*$`);

/** A text that ends with a keyword of a definition and what stands between it and the name. */
export const keyword = new RegExp(
  `(?:^|[\\s(;{])(?:func(?:\\s*\\([^)]*\\))?|function\\s*\\*?|macro_rules!|create\\s+table|#\\s*define|${words.join('|')})\\s+\\*?$`,
  'i',
);

/** More letters than the longest keyword has. */
const mostLetters = 10;

/** The letters of a word in any case, five bits each, the last first. */
const packed = (word: string): number => packedBetween((place) => word.charCodeAt(place), 0, word.length);

function packedBetween(codeAt: CodeAt, start: number, end: number): number {
  let letters = 0;
  for (let at = end - 1; at >= start; at -= 1) letters = letters * 32 + (codeAt(at) & 31);
  return letters;
}

/** What keywords end with; a few end with one of two signs. */
const lastWords = [...words, 'func', 'function', 'table', 'define'];
const packedWords = new Set(lastWords.map(packed));
const packedModifiers = new Set(modifiers.map(packed));

/** The words by which an index tells which names a text may define. */
export const definitionWords = { keywords: lastWords, modifiers };

const [tab, carriageReturn, space, star] = [9, 13, 32, 42];
const [colon, less, equals, parenthesis] = [58, 60, 61, 40];
const [closing, exclamation, dot] = [41, 33, 46];
const lastOfExport = 116;
const firstBeyondASCII = 128;

/** Other letters may be spaces, too. */
const mayBeSpace = (code: number): boolean =>
  code === space || (code >= tab && code <= carriageReturn) || code >= firstBeyondASCII;

const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;

/** The code of what stands at a place of a line: of a character, or a byte where all beyond ASCII are as good. */
export type CodeAt = (place: number) => number;

/** Whether a keyword may stand before a place of a line: of most places this tells, without an expression, that none does. */
export function mayFollowKeyword(codeAt: CodeAt, place: number, lineStart: number): boolean {
  let end = place;
  while (end > lineStart && (mayBeSpace(codeAt(end - 1)) || codeAt(end - 1) === star)) end -= 1;
  if (end === place || end === lineStart) return false;
  let [start, letters] = [end, 0];
  for (; start > lineStart && isLetter(codeAt(start - 1)); start -= 1) {
    if (end - start === mostLetters) return false;
    letters = letters * 32 + (codeAt(start - 1) & 31);
  }
  if (start < end) return packedWords.has(letters);
  const sign = codeAt(end - 1);
  return sign === closing || sign === exclamation;
}

/** Where a name may stand in a line. */
export interface NamePlace {
  readonly start: number;
  readonly end: number;
  readonly lineStart: number;
  readonly lineEnd: number;
}

/** Whether a definition may go on behind a name, which ends with no parenthesis: as a function, or by giving a value to what begins the line. */
export function mayGoOn(codeAt: CodeAt, { start, end, lineStart, lineEnd }: NamePlace): boolean {
  let at = end;
  const last = codeAt(end - 1);
  if (last === parenthesis || last === closing) return false;
  while (at < lineEnd && mayBeSpace(codeAt(at))) at += 1;
  const code = at < lineEnd ? codeAt(at) : 0;
  if (code === less || code === parenthesis) return mayBeTyped(codeAt, start, lineStart);
  return (code === colon || code === equals) && mayBeginLine(codeAt, start, lineStart);
}

/** Whether a function with this name may be what the line begins with: an indented one has a modifier, a call has none. */
function mayBeTyped(codeAt: CodeAt, start: number, lineStart: number): boolean {
  if (start === lineStart || !mayBeSpace(codeAt(lineStart))) return true;
  let at = lineStart;
  while (at < start && mayBeSpace(codeAt(at))) at += 1;
  let end = at;
  while (end < start && isLetter(codeAt(end))) end += 1;
  return end - at <= mostLetters && packedModifiers.has(packedBetween(codeAt, at, end));
}

/** Whether nothing stands before a name in its line but `export`, or what it is a part of. */
function mayBeginLine(codeAt: CodeAt, start: number, lineStart: number): boolean {
  let at = start;
  while (at > lineStart && mayBeSpace(codeAt(at - 1))) at -= 1;
  if (at === lineStart) return true;
  const code = codeAt(at - 1);
  return at === start ? code === dot : (code | 32) === lastOfExport;
}

/** Whether a line may define a name: of most places that are none this tells it. */
export const mayBeDefined = (codeAt: CodeAt, place: NamePlace): boolean =>
  mayFollowKeyword(codeAt, place.start, place.lineStart) || mayGoOn(codeAt, place);
