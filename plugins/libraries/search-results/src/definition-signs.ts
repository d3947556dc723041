/** Keywords of definitions that are a word. */
const words = (
  'class def defp defmodule defmacro defguard defn defun newtype interface type typedef struct enum union trait fn fun module namespace package const let var val ' +
  'object record protocol extension macro impl sub proc procedure subroutine message service rpc static alias'
).split(' ');

/** Keywords that begin a line with a method. */
const modifiers = 'public private protected static async override final abstract virtual inline get set'.split(' ');

/** A text that begins a line with a method, before its name. */
export const method = new RegExp(`^\\s*(?:(?:${modifiers.join('|')})\\s+)+[\\w<>[\\],.?\\s]*$`);

/** What else may stand between the beginning of a definition and its keyword; before other words a keyword is one of prose: `the type error`. */
const leaders = (
  `${words.join(' ')} ${modifiers.join(' ')} function func annotation auto case companion constexpr create crate data declare default elemental expect actual ` +
  'double precision integer real logical complex character ' +
  'export extend extern external file fileprivate implicit indirect infix inner internal lateinit lazy local mutable mutating my noinline open opaque operator or our partial ' +
  'primitive pub pure readonly recursive ref register replace required sealed shared suspend tailrec temporary threadlocal transparent unsafe volatile weak'
).split(' ');

/** Keywords that stand before a type where it is used, too (`struct node *next`, `static int count`), */
const ofTypes = ['struct', 'union', 'enum', 'static'];
/** but for these words behind it. */
const behindNames = ['implements', 'extends'];

/** Where a definition begins: with its line, behind a sign, or behind an annotation. */
const beginning = '(?:(?:^|[({;])\\s*|[()[\\]{}<>;=&|!"]\\s+|@[\\w.]+\\s+)';

/** A text that ends with a keyword of a definition, and what stands between it and the name; only a line begins with what is before the name of a method in Go. */
export const keyword = new RegExp(
  `(?:^func\\s*\\([^)]*\\)|${beginning}(?:(?:${leaders.join('|')})\\s+)*(?:func|function\\s*\\*?|macro_rules!|create\\s+table|#\\s*define|${words.join('|')}))\\s+\\*?$`,
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
const define = 'define';
const packedDefine = packed(define);
const packedModifiers = new Set(modifiers.map(packed));
const packedOfTypes = new Set(ofTypes.map(packed));
const packedConst = packed('const');
const packedBehindNames = new Set(behindNames.map(packed));

/** The words by which an index tells which names a text may define. */
export const definitionWords = { keywords: lastWords, modifiers, leaders, ofTypes, behindNames };

const [tab, carriageReturn, space, star] = [9, 13, 32, 42];
const [slash, dash, comma, hashSign, ampersand, underscore] = [47, 45, 44, 35, 38, 95];
const [colon, less, equals, parenthesis] = [58, 60, 61, 40];
const [closing, exclamation, dot] = [41, 33, 46];
const lastOfExport = 116;
const firstBeyondASCII = 128;

const isSpace = (code: number): boolean => code === space || (code >= tab && code <= carriageReturn);

/** `const node *next`, `sizeof(struct node)`. */
const pointers = new Set([star, ampersand]);
const behindTypes = new Set([...pointers, closing, comma]);

/** Other letters may be spaces, too. */
const mayBeSpace = (code: number): boolean => isSpace(code) || code >= firstBeyondASCII;

const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;

const isOfName = (code: number): boolean => isLetter(code) || (code >= 48 && code <= 57) || code === underscore;

/** The code of what stands at a place of a line: of a character, or a byte where all beyond ASCII are as good. */
export type CodeAt = (place: number) => number;

/** Whether a line is all comment, as far as its beginning tells: it defines nothing. */
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

/** Where a name may stand in a line. */
export interface NamePlace {
  readonly start: number;
  readonly end: number;
  readonly lineStart: number;
  readonly lineEnd: number;
}

/** Whether a keyword may stand before a name and define it: of most places this tells, without an expression, that none does. */
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

/** Whether the name that begins here is a type: it points to something, ends a list, or the name of what it is the type of follows. */
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
  !isComment(codeAt, place.lineStart, place.lineEnd) && (mayFollowKeyword(codeAt, place) || mayGoOn(codeAt, place));
