import { readDate } from './dates.ts';
import { resultTypes } from './query.ts';
import type { RangeBound, QueryFilter, Presence, Query, ReadBy, ResultType } from './query.ts';

/** Why a filter's value is refused; the parser adds the place. */
export class FilterValueError extends Error {
  override readonly name = 'FilterValueError';
}

const presences = ['yes', 'no', 'only'] as const;
/** What `count:` takes at most, besides `all`. */
export const largestCount = 1_000_000;

export const presence = (filter: string, value: string): Presence => oneOf(filter, value, presences);
export const readBy = (value: string): ReadBy => oneOf('visibility', value, ['any', 'public', 'private'] as const);
export const isYes = (filter: string, value: string): boolean => oneOf(filter, value, ['yes', 'no'] as const) === 'yes';
export const resultType = (value: string): ResultType => oneOf('type', value, resultTypes);
export const selection = (value: string): 'repo' | 'file' => oneOf('select', value, ['repo', 'file'] as const);
export const side = (value: string): 'added' | 'removed' => oneOf('diff', value, ['added', 'removed'] as const);
export const patternType = (value: string): 'regexp' | 'literal' =>
  oneOf('patterntype', value === 'keyword' || value === 'standard' ? 'literal' : value, ['regexp', 'literal'] as const);

export function count(value: string): number | 'all' {
  if (value.toLowerCase() === 'all') return 'all';
  const number = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  if (number < 1 || number > largestCount)
    throw new FilterValueError(`count: takes a number from 1 to ${largestCount} or all, not "${value}".`);
  return number;
}

/** `stars:10`, `stars:>=10`, `stars:<10`, `stars:10..20`. */
export const stars = (value: string): Query =>
  range('stars', value, { read: readStars, leaf: (bound, at) => ({ kind: 'stars', bound, value: at }) });

/** As `stars`; a day is all of it: `pushed:>2026-01-31` begins with February. */
export const pushed = (value: string): Query =>
  range('pushed', value, {
    read: readTime,
    isSpan: (text) => day.test(text),
    leaf: (bound, at) => ({ kind: 'pushed', bound, value: new Date(at).toISOString() }),
  });

/** What a value stands for: from `start` on, to before `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface RangeOptions {
  readonly read: (text: string) => Span | undefined;
  /** Whether a value may stand alone. */
  readonly isSpan?: (text: string) => boolean;
  readonly leaf: (bound: RangeBound, at: number) => QueryFilter;
}

/** A range as GitHub writes it. */
function range(filter: 'stars' | 'pushed', value: string, { read, isSpan, leaf }: RangeOptions): Query {
  const refuse = (): never => {
    throw new FilterValueError(`${filter}: takes ${formsOf[filter]}; not "${value}".`);
  };
  const spanOf = (text: string): Span => read(text) ?? refuse();
  const [, sign, only = ''] = /^([<>]=?)(.*)$/s.exec(value) ?? [];
  switch (sign) {
    case '>':
      return leaf('least', spanOf(only).end);
    case '>=':
      return leaf('least', spanOf(only).start);
    case '<':
      return leaf('below', spanOf(only).start);
    case '<=':
      return leaf('below', spanOf(only).end);
  }
  const [first = '', last = first, ...others] = value.split(/\.\.(?!\.)/);
  if (others.length > 0 || (first === '*' && last === '*')) refuse();
  if (!value.includes('..') && isSpan?.(value) === false) refuse();
  const least = first === '*' ? [] : [leaf('least', spanOf(first).start)];
  const below = last === '*' ? [] : [leaf('below', spanOf(last).end)];
  return { kind: 'and', children: [...least, ...below] };
}

const formsOf = {
  stars: 'a number or a range, such as >=10, <10 or 10..100',
  pushed: 'a day or a range, such as 2026-01-31, >2026-01-31, <1.year.ago or 2025-01-01..2025-12-31',
};

function readStars(text: string): Span | undefined {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  return number === undefined ? undefined : { start: number, end: number + 1 };
}

const day = /^\d+[-/.]\d+[-/.]\d+$/;

/** In milliseconds since 1970. */
function readTime(text: string): Span | undefined {
  const seconds = readDate(text, new Date());
  if (seconds === undefined) return undefined;
  const length = day.test(text) ? 86_400 : 1;
  return { start: seconds * 1000, end: (seconds + length) * 1000 };
}

/** `rev:a:b` names several; each must be a plain revision or a glob of refs. */
export function revisions(value: string): string[] {
  const list = value.split(':');
  if (list.some((revision) => revision === ''))
    throw new FilterValueError('rev: takes revisions separated by ":", such as rev:main:v1.2.');
  return list;
}

/** `repo:p`, `repo:p@rev` and `repo:has.path(p)`. */
export function repoFilter(value: string): Query {
  if (value === '')
    throw new FilterValueError('repo: takes a regular expression on repository names, such as repo:^acme/.');
  const path = /^has\.path\((.*)\)$/s.exec(value)?.[1];
  if (path !== undefined) return { kind: 'repo-has-path', pattern: required('repo:has.path', path) };
  const topic = /^has\.topic\((.*)\)$/s.exec(value)?.[1];
  if (topic !== undefined) return { kind: 'repo-has-topic', name: required('repo:has.topic', topic).toLowerCase() };
  if (/^has\.|^contains\./.test(value))
    throw new FilterValueError(
      `"repo:${value}" is not known; there are repo:has.path(regular expression) and repo:has.topic(name).`,
    );
  const at = value.indexOf('@', 1);
  if (at < 0) return { kind: 'repo', pattern: expression('repo', value) };
  const repo: QueryFilter = { kind: 'repo', pattern: expression('repo', value.slice(0, at)) };
  return { kind: 'and', children: [repo, { kind: 'rev', revisions: revisions(value.slice(at + 1)) }] };
}

/** A remark on a glob of names, which is never a good expression. */
export function repoGlobRemark(value: string): string | undefined {
  const at = value.indexOf('@', 1);
  const name = at < 0 ? value : value.slice(0, at);
  return mistakenGlob(name)?.isExpression === false ? globRemark('repo', name) : undefined;
}

/** A remark on what other search engines take for the contents of files; here it is an expression on paths. */
export const contentRemark = (value: string): string | undefined =>
  /^(?:has|contains)\.content\(/.test(value)
    ? `file:${value} was taken as an expression on paths; write the text alone.`
    : undefined;

/** A glob that is no expression is taken as the expression that it means. */
export function expression(filter: string, value: string): string {
  const glob = mistakenGlob(value);
  return glob && !glob.isExpression ? glob.expression : required(filter, value);
}

/** A remark on a glob, which is often also an expression, of another meaning. */
export function globRemark(filter: string, value: string): string | undefined {
  const glob = mistakenGlob(value);
  if (!glob) return undefined;
  if (!glob.isExpression) return `${filter}:${value} was taken as a glob, that is ${filter}:${glob.expression}`;
  return `${filter}:${value} was taken as a regular expression; if you meant the glob, write ${filter}:${glob.expression}`;
}

export function required(filter: string, value: string): string {
  if (value === '') throw new FilterValueError(`${filter}: needs a value. Quote text that contains it: "${filter}:".`);
  return value;
}

function oneOf<T extends string>(filter: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value.toLowerCase());
  if (!found) throw new FilterValueError(`${filter}: takes ${allowed.join(', ')}; not "${value}".`);
  return found;
}

/** Signs that regular expressions have and globs of paths do not. */
const expressionOnly = /[\\[()^$|+]/;
/** A `*` with nothing to repeat: not a regular expression. */
const repeatsNothing = /^\*|(^|\/)\*\*/;
/** A valid expression with another meaning than the glob: `src/*.ts` is `src`, slashes, one character, `ts`. */
const looksLikeGlob = /[\w/-]\*\.(\w+|\{[\w,]+\})$/;

/** A glob of paths such as `src/*.{ts,tsx}` where a regular expression is expected. */
export interface MistakenGlob {
  /** The expression that finds what the glob finds. */
  readonly expression: string;
  /** Whether the glob is an expression too, of another meaning. */
  readonly isExpression: boolean;
}

/** Undefined for what is no glob. */
export function mistakenGlob(pattern: string): MistakenGlob | undefined {
  if (expressionOnly.test(pattern)) return undefined;
  const isExpression = !repeatsNothing.test(pattern);
  if (isExpression && !looksLikeGlob.test(pattern)) return undefined;
  return { expression: expressionOf(pattern), isExpression };
}

/** Unanchored at the start, where a glob without a folder names files anywhere. */
function expressionOf(glob: string): string {
  const rest = glob.replace(/^(\*\*?\/?)+/, '');
  if (rest === '') return '.';
  const parts = rest.matchAll(/\*\*\/|\*\*|[*?.]|\{([\w,.]+)\}|[^*?.{]+|\{/g);
  const body = [...parts].map(([part, choices]) => partOf(part, choices)).join('');
  return `${body}$`;
}

function partOf(part: string, choices: string | undefined): string {
  if (choices !== undefined) return `(${choices.replaceAll('.', '\\.').replaceAll(',', '|')})`;
  const known: Record<string, string> = {
    '**/': '(.*/)?',
    '**': '.*',
    '*': '[^/]*',
    '?': '[^/]',
    '.': '\\.',
    '{': '\\{',
  };
  return known[part] ?? part;
}
