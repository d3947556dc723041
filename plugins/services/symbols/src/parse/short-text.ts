import type { Node } from 'web-tree-sitter';

/** Longer texts say little and are left out. */
const longest = 320;
/** Characters of the source that are read for one text. */
const longestSource = 4000;
/** A text that is short already. */
const isShort = /^[\w$.@#]{1,100}$/;
/** Brackets, quotes and the begin of comments. */
const marks = /["'`(){}[\]]|\/[/*]/g;
const plain = /[^\s"'`({/]+/y;
/** After these characters, a bracket opens the arguments of a call. */
const endOfOperand = /[\w$)\]>!]$/;

type Source = Pick<Node, 'text' | 'startIndex'>;

/** A type as it stands in the source. Each `{ … }` becomes `{start:end}`, its offsets. Undefined if it is too long. */
export const shortType = (node: Source): string | undefined => shorten(node, false);

/** A value in the same form, without the arguments of calls. */
export const shortValue = (node: Source): string | undefined => shorten(node, true);

function shorten({ text, startIndex }: Source, isValue: boolean): string | undefined {
  if (isShort.test(text)) return text;
  const source = text.length > longestSource ? text.slice(0, longestSource) : text;
  let short = '';
  for (let at = 0; at < source.length && short.length <= longest; ) {
    const char = source[at] ?? '';
    plain.lastIndex = at;
    const [words = ''] = plain.exec(source) ?? [];
    if (words !== '') {
      short += words;
      at += words.length;
    } else if (char === '{' || char === '(') {
      const isCall = char === '(' && isValue && endOfOperand.test(short);
      const end = char === '{' || isCall ? endOfBracket(source, at) : at + 1;
      short += isCall ? '()' : char === '(' ? char : `{${startIndex + at}:${startIndex + end}}`;
      at = end;
    } else if (/\s/.test(char)) {
      // A space is kept only between two words.
      if (/[\w$]$/.test(short) && /^\s+[\w$({[]/.test(source.slice(at, at + 80))) short += ' ';
      at += 1;
    } else {
      const end = endOfMark(source, at);
      if (char !== '/') short += end - at <= 40 && char !== '`' ? source.slice(at, end) : '""';
      else if (end === at + 1) short += char;
      at = end;
    }
  }
  return short.length > longest || short === '' ? undefined : short;
}

/** The offset behind the bracket that closes the one at `from`. */
function endOfBracket(source: string, from: number): number {
  let open = 0;
  marks.lastIndex = from;
  for (let mark = marks.exec(source); mark; mark = marks.exec(source)) {
    const [char = ''] = mark[0];
    if (/[({[]/.test(char)) open += 1;
    else if (/[)}\]]/.test(char)) open -= 1;
    else marks.lastIndex = endOfMark(source, mark.index);
    if (open === 0) return mark.index + 1;
  }
  return source.length;
}

/** The offset behind the string or comment at `from`. If there is none, the offset behind the character. */
function endOfMark(source: string, from: number): number {
  const char = source[from] ?? '';
  if (char !== '/') return endOfString(source, from, char);
  const next = source[from + 1];
  if (next !== '/' && next !== '*') return from + 1;
  const end = source.indexOf(next === '/' ? '\n' : '*/', from);
  return end < 0 ? source.length : end + (next === '/' ? 0 : 2);
}

function endOfString(source: string, from: number, quote: string): number {
  for (let at = from + 1; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === quote) return at + 1;
    else if (source[at] === '\n' && quote !== '`') return at;
  }
  return source.length;
}
