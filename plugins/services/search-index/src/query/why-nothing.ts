import { printQuery } from '@sextant/library-query';
import type { Options, ParsedQuery, Query } from '@sextant/library-query';

/** What a file must have or be: the parts of a query that may each be the one that nothing fulfils. */
const parts = new Set<Query['kind']>(['literal', 'regex', 'file', 'lang']);
/** Where the search is: this stays with every part. */
const places = new Set<Query['kind']>(['repo', 'repo-has-path', 'rev', 'fork', 'archived']);
const mostParts = 8;

/** Whether a query finds any file. */
export type FindsAny = (query: string) => Promise<boolean>;

/** Whether so many things are asked for that one of them may be why nothing was found. */
export function hasParts({ query }: ParsedQuery): boolean {
  const { length } = partsOf(query);
  return length >= 2 && length <= mostParts;
}

/** Why nothing was found where several things are asked for: which of them nothing has. */
export async function whyNothing({ query, options }: ParsedQuery, findsAny: FindsAny): Promise<string> {
  const asked = partsOf(query);
  const where = conjuncts(query).filter(({ kind }) => places.has(kind));
  const lacking: string[] = [];
  for (const part of asked)
    if (!(await findsAny(textOf([...where, part], options)))) lacking.push(textOf([inAnyCase(part)], { types: [] }));
  if (lacking.length === 0)
    return 'Each part of the query matches by itself, but no file matches all of them; leave one out, or join some with OR.';
  const others = lacking.length < asked.length ? '; the other parts do' : '';
  return `Nothing matches ${lacking.join(', ')} by itself${others}.`;
}

const conjuncts = (query: Query): readonly Query[] => (query.kind === 'and' ? query.children : []);
const partsOf = (query: Query): Query[] => conjuncts(query).filter(({ kind }) => parts.has(kind));

const textOf = (children: readonly Query[], { types }: Pick<Options, 'types'>): string => {
  const [only, ...others] = children;
  return printQuery({ query: only && others.length === 0 ? only : { kind: 'and', children }, options: { types } });
};

/** As it was written: what `case:` says of it stands elsewhere. */
const inAnyCase = (part: Query): Query => ('isCaseSensitive' in part ? { ...part, isCaseSensitive: false } : part);
