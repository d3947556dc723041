import type { FoundFile, ParsedQuery, Query, QueryOptions } from '@sextant/contracts';
import { printPart, queryOf } from '@sextant/contracts';
import { partOfMessage, partsOfMessage } from './part-of-message.ts';
import { whatWasMeant } from './what-was-meant.ts';

/** What a file must have or be: the parts of a query that may each be the one that nothing fulfils. */
const parts = new Set<Query['kind']>(['literal', 'regex', 'file', 'lang']);
/** Where the search is: this stays with every part. */
const places = new Set<Query['kind']>(['repo', 'repo-has-path', 'rev', 'fork', 'archived']);
const mostParts = 8;
/** In so many repositories a few more searches take no time that anybody notices. */
const fewRepositories = 8;

/** So many of the best files of a query, with lines that match. */
type FindsBest = (query: ParsedQuery, files: number) => Promise<readonly FoundFile[]>;

interface Finding {
  readonly find: FindsBest;
  /** How many the caller may read. */
  readonly repositories: number;
}

/** Fewer words are hardly a message. */
const leastOfMessage = 6;

/** Whether a message may have been pasted, and of no file that was found a line is shown that has a part of it. */
export function isScattered({ query }: ParsedQuery, files: readonly FoundFile[]): boolean {
  const asked = partsOf(query);
  const isMessage = asked.length >= leastOfMessage && asked.every((part) => part.kind === 'literal');
  // Nearly every search is none: of these no line is looked at.
  if (!isMessage) return false;
  const lines = files.flatMap(({ chunks }) => chunks.flatMap((chunk) => chunk.lines.map((line) => line.toLowerCase())));
  const pasted = partsOfMessage(asked);
  return lines.length > 0 && !lines.some((line) => pasted.some((part) => line.includes(part)));
}

/** Where a part of a message stands whose words were found here and there: what was found may be none of it. */
export async function* whereMessage({ query, options }: ParsedQuery, { find }: Finding): AsyncGenerator<string> {
  const message = await partOfMessage(partsOf(query), partFinder(query, { find, options }));
  if (message !== '') yield `The words stand apart in these files.${message}`;
}

/** Whether it may be told why nothing was found. */
export function hasReason({ query, options: { types } }: ParsedQuery): boolean {
  const asked = partsOf(query);
  const isAlone = asked.length === 1 && asked.some(({ kind }) => kind === 'literal' || kind === 'file');
  return (isAlone || asked.length > 1) && !types.includes('repo');
}

/**
 * Why nothing was found: which of the things that are asked for nothing has, then what may have been meant by one of them. Each reason says
 * more than the one before, for those who cannot wait for all.
 */
export async function* whyNothing(
  { query, options }: ParsedQuery,
  { find, repositories }: Finding,
): AsyncGenerator<string> {
  const asked = partsOf(query);
  const general = 'No file matches all parts of the query; leave some out, or join some with OR.';
  if (asked.length > 1) yield general;
  const findPart = partFinder(query, { find, options });
  const message = await partOfMessage(asked, findPart);
  if (message !== '') yield `${asked.length > 1 ? general : ''}${message}`.trimStart();
  if (message !== '' || asked.length > mostParts) return;
  const lacking: Query[] = [];
  for (const part of asked) if (asked.length === 1 || (await findPart(part)).length === 0) lacking.push(part);
  const reason = asked.length === 1 ? '' : reasonOf(lacking, asked);
  if (reason !== '') yield reason;
  const isNarrow =
    asked.length > 1 || repositories <= fewRepositories || placesOf(query).some(({ kind }) => kind === 'repo');
  for (const part of lacking) {
    const meant = await whatWasMeant(part, { find: findPart, isNarrow });
    if (meant !== '') return yield `${reason}${meant}`.trimStart();
  }
}

/** What is known once each part was looked for by itself. */
function reasonOf(lacking: readonly Query[], { length }: readonly Query[]): string {
  if (lacking.length === 0)
    return 'Each part of the query matches by itself, but no file matches all of them; leave one out, or join some with OR.';
  const names = lacking.map((part) => printPart(inAnyCase(part))).join(', ');
  return `Nothing matches ${names} by itself${lacking.length < length ? '; the other parts do' : ''}.`;
}

/** Finds a part of a query where all of it was looked for. */
const partFinder =
  (query: Query, { find, options }: { find: FindsBest; options: QueryOptions }) =>
  (part: Query, files = 1): Promise<readonly FoundFile[]> =>
    find(queryOf([...placesOf(query), part], { types: options.types }), files);

const conjuncts = (query: Query): readonly Query[] => (query.kind === 'and' ? query.children : [query]);
const partsOf = (query: Query): Query[] => conjuncts(query).filter(({ kind }) => parts.has(kind));
const placesOf = (query: Query): Query[] => conjuncts(query).filter(({ kind }) => places.has(kind));

/** As it was written: what `case:` says of it stands elsewhere. */
const inAnyCase = (part: Query): Query => ('isCaseSensitive' in part ? { ...part, isCaseSensitive: false } : part);
