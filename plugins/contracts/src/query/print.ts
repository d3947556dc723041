import { escapeRegExp } from '@sextant/core';
import type { ParsedQuery, Query } from './query.ts';

/** A query that parses to the same algebra and options, whatever it is made of. Notes are not printed. */
export function printQuery({ query, options }: Pick<ParsedQuery, 'query' | 'options'>): string {
  const { types, select, count } = options;
  return [
    ...types.map((type) => `type:${type}`),
    ...partsOf(query).map((part) => print(part, valueOf)),
    ...(select ? [`select:${select}`] : []),
    ...(count === undefined ? [] : [`count:${count}`]),
  ].join(' ');
}

/** A part of a query as a sentence names it: what a filter looks for always stands in quotes. */
export const printPart = (part: Query): string => print(part, quote);

/** An expression that matches just this text, as a filter has it without quotes: white space and quotes would end it. */
export const filterPattern = (text: string): string => escapeRegExp(text).replaceAll(/[\s"]/g, String.raw`\$&`);

/** What stands side by side in the text. */
function partsOf(query: Query): readonly Query[] {
  if (query.kind === 'all') return [];
  return query.kind === 'and' ? query.children : [query];
}

function print(query: Query, value: (text: string) => string): string {
  const printChild = (child: Query): string => print(child, value);
  switch (query.kind) {
    case 'all':
    case 'none':
      throw new Error(`a part of a query that matches ${query.kind} has no text; simplify the query first`);
    case 'and':
      return `(${query.children.map(printChild).join(' ')})`;
    case 'or':
      return `(${query.children.map(printChild).join(' OR ')})`;
    case 'not':
      return `-${printChild(query.child)}`;
    case 'literal':
      return sensitive(quote(query.text), query.isCaseSensitive);
    case 'regex':
      return sensitive(`/${escapeSlashes(query.pattern)}/`, query.isCaseSensitive);
    case 'lang':
      return `lang:${value(query.name)}`;
    case 'rev':
      return `rev:${value(query.revisions.join(':'))}`;
    case 'fork':
    case 'archived':
    case 'visibility':
      return `${query.kind}:${query.value}`;
    case 'stars':
    case 'pushed':
      return `${query.kind}:${query.bound === 'least' ? '>=' : '<'}${query.value}`;
    case 'file':
    case 'author':
    case 'message':
    case 'line':
      return `${query.kind}:${value(query.pattern)}`;
    case 'after':
    case 'before':
      return `${query.kind}:${value(query.date)}`;
    case 'diff':
      return `diff:${query.side}`;
    case 'repo':
      return `repo:${value(withoutRevision(query.pattern))}`;
    case 'repo-has-path':
      return `repo:${value(`has.path(${query.pattern})`)}`;
    case 'repo-has-topic':
      return `repo:${value(`has.topic(${query.name})`)}`;
  }
}

const sensitive = (term: string, isCaseSensitive: boolean): string => (isCaseSensitive ? `(case:yes ${term})` : term);
const quote = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

/** The value of a filter, which is quoted only where it would end too early. */
const valueOf = (text: string): string => (/^[^\s"\\()]+$/.test(text) ? text : quote(text));

const escapeSlashes = (pattern: string): string =>
  pattern.replaceAll(/\\[\s\S]|\//g, (part) => (part === '/' ? String.raw`\/` : part));

/** An `@` behind the first character would begin a revision. */
const withoutRevision = (pattern: string): string => pattern.slice(0, 1) + pattern.slice(1).replaceAll('@', '[@]');
