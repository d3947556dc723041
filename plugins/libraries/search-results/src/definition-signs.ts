/** Keywords of definitions that are a word. */
const words = (
  'class def defp defmodule interface type typedef struct enum union trait fn fun module namespace package const let var val ' +
  'object record protocol extension macro impl sub proc procedure message service rpc static alias'
).split(' ');

/** A text that ends with a keyword of a definition and what stands between it and the name. */
export const keyword = new RegExp(
  `(?:^|[\\s(;{])(?:func(?:\\s*\\([^)]*\\))?|function\\s*\\*?|macro_rules!|create\\s+table|#\\s*define|${words.join('|')})\\s+\\*?$`,
  'i',
);

/** What keywords end with, in lower case; a few end with one of two signs. */
const lastWords = new Set([...words, 'func', 'function', 'table', 'define']);

const [tab, carriageReturn, space, star] = [9, 13, 32, 42];
const [colon, less, equals, parenthesis] = [58, 60, 61, 40];
const [closing, exclamation] = [41, 33];
const firstBeyondASCII = 128;

/** Other letters may be spaces, too. */
const mayBeSpace = (code: number): boolean =>
  code === space || (code >= tab && code <= carriageReturn) || code >= firstBeyondASCII;

const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;

/** Whether a keyword may stand before a place of a line: of most places this tells, without an expression, that none does. */
export function mayFollowKeyword(line: string, place: number): boolean {
  let end = place;
  while (end > 0 && (mayBeSpace(line.charCodeAt(end - 1)) || line.charCodeAt(end - 1) === star)) end -= 1;
  if (end === place || end === 0) return false;
  let start = end;
  while (start > 0 && isLetter(line.charCodeAt(start - 1))) start -= 1;
  if (start < end) return lastWords.has(line.slice(start, end).toLowerCase());
  const sign = line.charCodeAt(end - 1);
  return sign === closing || sign === exclamation;
}

/** Whether a definition may go on at a place of a line. */
export function mayGoOn(line: string, place: number): boolean {
  let at = place;
  while (mayBeSpace(line.charCodeAt(at))) at += 1;
  const code = line.charCodeAt(at);
  return code === colon || code === less || code === equals || code === parenthesis;
}

/** Whether a line may define what stands at [start, end) of it, where each character beyond ASCII may be several: of most places that are none this tells it. */
export const mayBeDefined = (line: string, start: number, end: number): boolean =>
  mayFollowKeyword(line, start) || mayGoOn(line, end);
