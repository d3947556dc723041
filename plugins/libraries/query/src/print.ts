import type { Options, ParsedQuery, Query } from './query.ts';

/** A query that parses to the same algebra and options, whatever it is made of. */
export function printQuery({ query, options }: Pick<ParsedQuery, 'query' | 'options'>): string {
  return [query.kind === 'all' ? '' : print(query), ...printOptions(options)].filter((part) => part !== '').join(' ');
}

function print(query: Query): string {
  switch (query.kind) {
    case 'all':
    case 'none':
      throw new Error(`a part of a query that matches ${query.kind} has no text; simplify the query first`);
    case 'and':
      return `(${query.children.map(print).join(' ')})`;
    case 'or':
      return `(${query.children.map(print).join(' OR ')})`;
    case 'not':
      return `-${print(query.child)}`;
    case 'literal':
      return sensitive(quote(query.text), query.isCaseSensitive);
    case 'regex':
      return sensitive(`/${escapeSlashes(query.pattern)}/`, query.isCaseSensitive);
    case 'lang':
      return `lang:${quote(query.name)}`;
    case 'rev':
      return `rev:${quote(query.revisions.join(':'))}`;
    case 'fork':
    case 'archived':
      return `${query.kind}:${query.value}`;
    case 'file':
    case 'author':
    case 'message':
    case 'line':
      return `${query.kind}:${quote(query.pattern)}`;
    case 'after':
    case 'before':
      return `${query.kind}:${quote(query.date)}`;
    case 'diff':
      return `diff:${query.side}`;
    case 'repo':
      return `repo:${quote(withoutRevision(query.pattern))}`;
    case 'repo-has-path':
      return `repo:${quote(`has.path(${query.pattern})`)}`;
  }
}

function printOptions({ count, types, select }: Options): string[] {
  return [
    ...types.map((type) => `type:${type}`),
    ...(select ? [`select:${select}`] : []),
    ...(count === undefined ? [] : [`count:${count}`]),
  ];
}

const sensitive = (term: string, isCaseSensitive: boolean): string => (isCaseSensitive ? `(case:yes ${term})` : term);
const quote = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

const escapeSlashes = (pattern: string): string =>
  pattern.replaceAll(/\\[\s\S]|\//g, (part) => (part === '/' ? String.raw`\/` : part));

/** An `@` behind the first character would begin a revision. */
const withoutRevision = (pattern: string): string => pattern.slice(0, 1) + pattern.slice(1).replaceAll('@', '[@]');
