import { filterAliases, filterNamed, isTextWith, lacksValue, looksLikeFilter } from './filters.ts';
import type { FilterName } from './filters.ts';
import { QuerySyntaxError } from './syntax-error.ts';

export type Token =
  | { readonly kind: 'open' | 'close' | 'and' | 'or' | 'not'; readonly at: number; readonly end: number }
  | { readonly kind: 'word' | 'phrase' | 'regex'; readonly text: string; readonly at: number; readonly end: number }
  | {
      readonly kind: 'filter';
      readonly name: FilterName;
      readonly value: string;
      readonly at: number;
      readonly end: number;
    };

export interface Tokens {
  readonly tokens: readonly Token[];
  readonly notes: readonly string[];
}

const operators = { AND: 'and', OR: 'or', NOT: 'not' } as const;
const isOperator = (text: string): text is keyof typeof operators => Object.hasOwn(operators, text);
const space = /\s/;
const boundary = /[\s)]/;

/** How a query is cut into tokens. */
interface Reading {
  /** `author:` and the like are filters. */
  readonly isHistory: boolean;
  /** A parenthesis that no word opened begins or ends a group; else it is text. */
  readonly hasGroups: boolean;
}

/**
 * Cuts a query into tokens. Parentheses are text if they make no groups, as in `f(a, b)` and `() => x`: they close each
 * other, and nothing else shows that groups are meant. Throws `QuerySyntaxError` for a quote that is not closed.
 */
export function tokenize(query: string): Tokens {
  const files = tokensOf(query, { isHistory: false, hasGroups: true });
  const isHistory = files.tokens.some(asksForHistory);
  const read = isHistory ? tokensOf(query, { isHistory, hasGroups: true }) : files;
  if (areGroups(read.tokens)) return read;
  const asText = tokensOf(query, { isHistory, hasGroups: false });
  return areClosed(asText.tokens) ? asText : read;
}

const asksForHistory = (token: Token): boolean =>
  token.kind === 'filter' && token.name === 'type' && /^(commit|diff)$/i.test(token.value);

function tokensOf(query: string, reading: Reading): Tokens {
  const tokens: Token[] = [];
  const notes: string[] = [];
  let at = 0;
  while (at < query.length) {
    if (space.test(query[at] ?? '')) {
      at += 1;
      continue;
    }
    const token = next(query, at, reading);
    if (token.kind === 'word') notes.push(...looksLikeFilter(token.text), ...lacksValue(token.text, reading.isHistory));
    tokens.push(token);
    at = token.end;
  }
  return { tokens, notes };
}

function next(query: string, at: number, reading: Reading): Token {
  const char = query[at];
  if (char === '(' && reading.hasGroups) return { kind: 'open', at, end: at + 1 };
  if (char === ')' && reading.hasGroups) return { kind: 'close', at, end: at + 1 };
  if (char === '-' && isNegation(query, at, reading)) return { kind: 'not', at, end: at + 1 };
  if (char === '"') return phrase(query, at);
  return regex(query, at) ?? filter(query, at, reading) ?? word(query, at, reading);
}

/** Dashes before what no term begins with: `->`, `-=`, `-}`, `-- why`. */
const codeDashes = /-+(?:[\s)=>}\]|,;*+&]|$)/y;

/** In parentheses that are text, as in `f(a, -b)`, nothing is excluded. */
function isNegation(query: string, at: number, { hasGroups }: Reading): boolean {
  codeDashes.lastIndex = at;
  return !codeDashes.test(query) && (hasGroups || depthAfter(query.slice(0, at), 0) === 0);
}

function phrase(query: string, at: number): Token {
  const { text, end } = quoted(query, at);
  return { kind: 'phrase', text, at, end };
}

/** `"…"` with `\"` and `\\` for a quote and a backslash; any other backslash stands for itself. */
function quoted(query: string, at: number): { text: string; end: number } {
  let text = '';
  for (let index = at + 1; index < query.length; index += 1) {
    const char = query[index] ?? '';
    if (char === '"') return { text, end: index + 1 };
    if (char === '\\' && /["\\]/.test(query[index + 1] ?? '')) {
      index += 1;
      text += query[index] ?? '';
    } else text += char;
  }
  throw new QuerySyntaxError(
    query,
    at,
    'this quote is not closed. Close it, or write \\" inside quotes to search for a quote.',
  );
}

/** `/…/` up to a slash that ends a word; undefined where there is none, as in a path. */
function regex(query: string, at: number): Token | undefined {
  if (query[at] !== '/') return undefined;
  for (let index = at + 1; index < query.length; index += 1) {
    if (query[index] === '\\') index += 1;
    else if (
      query[index] === '/' &&
      index > at + 1 &&
      (index + 1 === query.length || boundary.test(query[index + 1] ?? ''))
    )
      return { kind: 'regex', text: unescapeSlashes(query.slice(at + 1, index)), at, end: index + 1 };
  }
  return undefined;
}

/** `\/` stands for a slash; every other escape belongs to the regular expression. */
const unescapeSlashes = (pattern: string): string =>
  pattern.replaceAll(/\\([\s\S])/g, (escape: string, char: string) => (char === '/' ? '/' : escape));

const longestName = Math.max(...filterAliases(true).map((name) => name.length));

/** A name with nothing right behind it is text: messages that are pasted have `path: "a"` and `type: int`. */
function filter(query: string, at: number, { isHistory }: Reading): Token | undefined {
  const prefix = /^[^\s:]+:/.exec(query.slice(at, at + longestName + 1))?.[0];
  const name = prefix && filterNamed(prefix.slice(0, -1), isHistory);
  if (!prefix || !name) return undefined;
  const from = at + prefix.length;
  if (query[from] === '"') {
    const { text, end } = quoted(query, from);
    return { kind: 'filter', name, value: text, at, end };
  }
  const end = endOfWord(query, from, { hasEscapes: true });
  const value = query.slice(from, end);
  if (value === '' || isTextWith(prefix.slice(0, -1), value)) return undefined;
  return { kind: 'filter', name, value, at, end };
}

function word(query: string, at: number, { hasGroups }: Reading): Token {
  const end = hasGroups ? Math.max(endOfWord(query, at, { hasEscapes: false }), at + 1) : endOfText(query, at);
  const text = query.slice(at, end);
  if (isOperator(text)) return { kind: operators[text], at, end };
  return { kind: 'word', text, at, end };
}

/**
 * A word ends at a space or at a parenthesis that it did not open itself: `main()` is one word. A filter's value is a
 * regular expression, in which a backslash keeps the next character from ending it.
 */
function endOfWord(query: string, at: number, { hasEscapes }: { readonly hasEscapes: boolean }): number {
  let depth = 0;
  for (let index = at; index < query.length; index += 1) {
    const char = query[index] ?? '';
    if (space.test(char)) return index;
    if (hasEscapes && char === '\\') index += 1;
    else if (char === '(') depth += 1;
    else if (char === ')') {
      if (depth === 0) return index;
      depth -= 1;
    }
  }
  return query.length;
}

/** The next space or the end. */
function endOfText(query: string, at: number): number {
  const length = query.slice(at).search(space);
  return length < 0 ? query.length : at + length;
}

/** Whether parentheses are read as groups: they make some, something tells that groups are meant, or there is no text beside them. */
const areGroups = (tokens: readonly Token[]): boolean =>
  makeGroups(tokens) || tokens.some(tellsOfGroups) || !tokens.some(({ kind }) => kind === 'word');

/** Each closes one that is open, none is left open, and none is empty. */
function makeGroups(tokens: readonly Token[]): boolean {
  let depth = 0;
  for (const [i, { kind }] of tokens.entries()) {
    if (kind === 'open') depth += 1;
    else if (kind === 'close' && (--depth < 0 || tokens[i - 1]?.kind === 'open')) return false;
  }
  return depth === 0;
}

/** AND, OR and NOT; a filter in parentheses, which holds for them alone; `-(`. */
function tellsOfGroups(token: Token, i: number, tokens: readonly Token[]): boolean {
  const before = tokens[i - 1]?.kind;
  switch (token.kind) {
    case 'and':
    case 'or':
      return true;
    case 'not':
      return token.end - token.at > '-'.length || tokens[i + 1]?.kind === 'open';
    case 'filter':
      return before === 'open' || tokens[i + 1]?.kind === 'close';
    default:
      return false;
  }
}

/** Whether the parentheses in words close each other. */
function areClosed(tokens: readonly Token[]): boolean {
  let depth = 0;
  for (const token of tokens) if (token.kind === 'word') depth = depthAfter(token.text, depth);
  return depth === 0;
}

/** How many parentheses are open behind a text; once one closes nothing NaN. */
function depthAfter(text: string, before: number): number {
  let depth = before;
  for (const char of text) {
    if (char === '(') depth += 1;
    else if (char === ')') depth = depth > 0 ? depth - 1 : Number.NaN;
  }
  return depth;
}
