import { crc32 } from 'node:zlib';

/** The text before a function name whose type is on the same line: `static int `. */
const typedFunction =
  /^(?!\s*(?:return|else|throw|new|await|yield|delete|case|goto|in|not|and|or)\b)(?:[A-Za-z_][\w<>,:*&[\]\s]*\s[*&]*)?(?:[\w:~]+::)?$/;
const assigned = /^\s*(?:(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\(|[a-z_]\w*\s*=>)|(?::|<-)\s*function\b)/i;

/** The text after a function name whose type is on the line before, as in much C: `(const char *text, int length)`. */
const parameters =
  /^\s*\(\s*(?!(?:not|new|await|typeof|lambda|yield)\b)(?:[A-Z_]+\(\s*)?(?:void\s*\)|(?:[A-Za-z_][\w:<>]*[\s*&]+)+[A-Za-z_]\w*\s*(?:\[\s*\w*\s*\]\s*)?(?:[,)]|$))/;

/** The signature of a function after its name, as in Haskell: ` :: Text -> Text`. */
const signature = /^\s+::\s/;

/** Whether the line only declares a type that is defined elsewhere: `struct node;`. */
const isDeclared = (line: string, start: number, end: number): boolean =>
  /\b(?:class|enum|struct|union)\s+$/.test(line.slice(0, start)) && /^\s*;/.test(line.slice(end));

/** The beginning of a name. Other texts are never defined. */
const nameStart = /^[\p{L}\p{N}_$@~]/u;

/** Whether a text may be a name that a line defines. */
export const canBeDefined = (text: string): boolean => nameStart.test(text);

/** How likely a line defines the text at [start, end): from 0 (a use) to 1 (a definition by a keyword). */
export function definitionWeight(line: string, start: number, end: number): number {
  if (!canBeDefined(line.slice(start, start + 2))) return 0;
  const codeAt = (place: number): number => line.charCodeAt(place);
  if (isComment(codeAt, 0, line.length)) return 0;
  const place = { start, end, lineStart: 0, lineEnd: line.length };
  if (mayFollowKeyword(codeAt, place) && keyword.test(line.slice(0, start)))
    return isDeclared(line, start, end) ? 0.8 : 1;
  if (!mayGoOn(codeAt, place)) return 0;
  const [before, after] = [line.slice(0, start), line.slice(end)];
  if (assigned.test(after) && /^\s*(?:export\s+)?(?:[\w.]+\.)?$/.test(before)) return 0.8;
  if (method.test(before) && /^\s*[(<]/.test(after)) return 0.8;
  if (signature.test(after) && /^\s*$/.test(before)) return 0.8;
  if (/;\s*$/.test(after)) return 0;
  if (before === '') return parameters.test(after) ? 0.7 : 0;
  return /^\s*\(/.test(after) && typedFunction.test(before) ? 0.7 : 0;
}

/** Keywords of definitions that are one word. */
const words = (
  'class def defp defmodule defmacro defguard defn defun newtype interface type typedef struct enum union trait fn fun module namespace package const let var val ' +
  'object record protocol extension macro impl sub proc procedure subroutine message service rpc static alias'
).split(' ');

/** Keywords that begin a line with a method. */
const modifiers = 'public private protected static async override final abstract virtual inline get set'.split(' ');

/** The text before the name of a method that begins a line. */
export const method = new RegExp(`^\\s*(?:(?:${modifiers.join('|')})\\s+)+[\\w<>[\\],.?\\s]*$`);

/** Words that may stand before the keyword of a definition. After other words a keyword is prose: `the type error`. */
const leaders = (
  `${words.join(' ')} ${modifiers.join(' ')} function func annotation auto case companion constexpr create crate data declare default elemental expect actual ` +
  'double precision integer real logical complex character ' +
  'export extend extern external file fileprivate implicit indirect infix inner internal lateinit lazy local mutable mutating my noinline open opaque operator or our partial ' +
  'primitive pub pure readonly recursive ref register replace required sealed shared suspend tailrec temporary threadlocal transparent unsafe volatile weak'
).split(' ');

/** Keywords that also stand before the use of a type: `struct node *next`, `static int count`. */
const ofTypes = ['struct', 'union', 'enum', 'static'];
/** Words that may follow a defined type, so that it is no use: `class A extends B`. */
const behindNames = ['implements', 'extends'];

/** A definition begins with its line, after a sign, or after an annotation. */
const beginning = '(?:(?:^|[({;])\\s*|[()[\\]{}<>;=&|!"]\\s+|@[\\w.]+\\s+)';

/** A text that ends with the keyword of a definition and what follows it before the name. The first part is a method in Go. */
export const keyword = new RegExp(
  `(?:^func\\s*\\([^)]*\\)|${beginning}(?:(?:${leaders.join('|')})\\s+)*(?:func|function\\s*\\*?|macro_rules!|create\\s+table|#\\s*define|${words.join('|')}))\\s+\\*?$`,
  'i',
);

/** No keyword has more letters. */
const mostLetters = 10;

/** The letters of a word without case as a number, five bits each, the last letter first. */
const packed = (word: string): number => packedBetween((place) => word.charCodeAt(place), 0, word.length);

function packedBetween(codeAt: CodeAt, start: number, end: number): number {
  let letters = 0;
  for (let at = end - 1; at >= start; at -= 1) letters = letters * 32 + (codeAt(at) & 31);
  return letters;
}

/** The last words of keywords. A few keywords end with a sign instead. */
const lastWords = [...words, 'func', 'function', 'table', 'define'];
const packedWords = new Set(lastWords.map(packed));
/** The words that tell definitions from uses: see `mayBeDefined`. */
export const definitionWords = { keywords: lastWords, modifiers };
/** Their checksum: an index that was made with other words does not know which documents may define a name. */
export const definitionRules: number = crc32(JSON.stringify(definitionWords));
const define = 'define';
const packedDefine = packed(define);
const packedModifiers = new Set(modifiers.map(packed));
const packedOfTypes = new Set(ofTypes.map(packed));
const packedConst = packed('const');
const packedBehindNames = new Set(behindNames.map(packed));

const [tab, carriageReturn, space, star] = [9, 13, 32, 42];
const [slash, dash, comma, hashSign, ampersand, underscore] = [47, 45, 44, 35, 38, 95];
const [colon, less, equals, parenthesis] = [58, 60, 61, 40];
const [closing, exclamation, dot] = [41, 33, 46];
const lastOfExport = 116;
const firstBeyondASCII = 128;

const isSpace = (code: number): boolean => code === space || (code >= tab && code <= carriageReturn);

/** Signs after the use of a type: `const node *next`, `sizeof(struct node)`. */
const pointers = new Set([star, ampersand]);
const behindTypes = new Set([...pointers, closing, comma]);

/** Characters beyond ASCII may be spaces, too. */
const mayBeSpace = (code: number): boolean => isSpace(code) || code >= firstBeyondASCII;

const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;

const isOfName = (code: number): boolean => isLetter(code) || (code >= 48 && code <= 57) || code === underscore;

/** The code at an offset of a line: of a character, or of a byte, as all codes beyond ASCII are treated the same. */
export type CodeAt = (place: number) => number;

/** Whether the whole line is a comment, judged by its beginning. A comment defines nothing. */
export function isComment(codeAt: CodeAt, lineStart: number, lineEnd: number): boolean {
  let at = lineStart;
  while (at < lineEnd && mayBeSpace(codeAt(at))) at += 1;
  const isSpaceAt = (place: number): boolean => place < lineEnd && mayBeSpace(codeAt(place));
  const next = at + 1 < lineEnd ? codeAt(at + 1) : 0;
  switch (codeAt(at)) {
    case slash:
      return next === slash;
    case dash:
      return next === dash && isSpaceAt(at + 2);
    case star:
      return isSpaceAt(at + 1);
    case hashSign:
      return isSpaceAt(at + 1) && !isDefine(codeAt, at + 2, lineEnd);
    default:
      return false;
  }
}

function isDefine(codeAt: CodeAt, from: number, lineEnd: number): boolean {
  let at = from;
  while (at < lineEnd && mayBeSpace(codeAt(at))) at += 1;
  return packedBetween(codeAt, at, Math.min(lineEnd, at + define.length)) === packedDefine;
}

/** The offsets of a possible name and of its line. */
export interface NamePlace {
  readonly start: number;
  readonly end: number;
  readonly lineStart: number;
  readonly lineEnd: number;
}

/** Whether a keyword may stand before a name. A fast test, without a regular expression, that excludes most places. */
export function mayFollowKeyword(codeAt: CodeAt, { start: place, lineStart, lineEnd }: NamePlace): boolean {
  let end = place;
  while (end > lineStart && (mayBeSpace(codeAt(end - 1)) || codeAt(end - 1) === star)) end -= 1;
  if (end === place || end === lineStart) return false;
  let [start, letters] = [end, 0];
  for (; start > lineStart && isLetter(codeAt(start - 1)); start -= 1) {
    if (end - start === mostLetters) return false;
    letters = letters * 32 + (codeAt(start - 1) & 31);
  }
  if (start < end) return packedWords.has(letters) && !isType(codeAt, place, { keyword: letters, lineEnd });
  const sign = codeAt(end - 1);
  return sign === closing || sign === exclamation;
}

/** Whether the name at `start` is the use of a type: a pointer, the end of a list, or another name follows. */
function isType(
  codeAt: CodeAt,
  start: number,
  { keyword: letters, lineEnd }: { keyword: number; lineEnd: number },
): boolean {
  const isOfType = packedOfTypes.has(letters);
  if (!isOfType && letters !== packedConst) return false;
  const end = nameEnd(codeAt, start, lineEnd);
  let at = end;
  while (at < lineEnd && isSpace(codeAt(at))) at += 1;
  if (at === lineEnd) return false;
  if (!isOfType) return pointers.has(codeAt(at));
  if (behindTypes.has(codeAt(at))) return true;
  const next = nameEnd(codeAt, at, lineEnd);
  if (at === end || next === at) return false;
  return next - at > mostLetters || !packedBehindNames.has(packedBetween(codeAt, at, next));
}

function nameEnd(codeAt: CodeAt, start: number, lineEnd: number): number {
  let end = start;
  while (end < lineEnd && isOfName(codeAt(end))) end += 1;
  return end;
}

/** Whether the text after a name may continue a definition: parameters of a function, or an assignment to the name. */
export function mayGoOn(codeAt: CodeAt, { start, end, lineStart, lineEnd }: NamePlace): boolean {
  let at = end;
  const last = codeAt(end - 1);
  if (last === parenthesis || last === closing) return false;
  while (at < lineEnd && mayBeSpace(codeAt(at))) at += 1;
  const code = at < lineEnd ? codeAt(at) : 0;
  if (code === less || code === parenthesis) return mayBeTyped(codeAt, start, lineStart);
  return (code === colon || code === equals) && mayBeginLine(codeAt, start, lineStart);
}

/** Whether a function with this name may begin the line. An indented one needs a modifier, which a call does not have. */
function mayBeTyped(codeAt: CodeAt, start: number, lineStart: number): boolean {
  if (start === lineStart || !mayBeSpace(codeAt(lineStart))) return true;
  let at = lineStart;
  while (at < start && mayBeSpace(codeAt(at))) at += 1;
  let end = at;
  while (end < start && isLetter(codeAt(end))) end += 1;
  return end - at <= mostLetters && packedModifiers.has(packedBetween(codeAt, at, end));
}

/** Whether only `export`, or the object of which it is a member, stands before the name in its line. */
function mayBeginLine(codeAt: CodeAt, start: number, lineStart: number): boolean {
  let at = start;
  while (at > lineStart && mayBeSpace(codeAt(at - 1))) at -= 1;
  if (at === lineStart) return true;
  const code = codeAt(at - 1);
  return at === start ? code === dot : (code | 32) === lastOfExport;
}

/** Whether a line may define a name. A fast test that excludes most places. */
export const mayBeDefined = (codeAt: CodeAt, place: NamePlace): boolean =>
  !isComment(codeAt, place.lineStart, place.lineEnd) && (mayFollowKeyword(codeAt, place) || mayGoOn(codeAt, place));
