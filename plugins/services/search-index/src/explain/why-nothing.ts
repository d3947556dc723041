import type { FoundFile, ParsedQuery, Query, QueryOptions } from '@sextant/contracts';
import { leavesOfRole, literal, printPart, queryOf } from '@sextant/contracts';
import { MAX_LITERAL_BYTES } from '@sextant/library-block-index';
import { piecesIn, runsIn } from '@sextant/library-ranking';
import { whatWasMeant } from './suggestions.ts';

/** What a file must have or be: any of these parts of a query may be the one that nothing matches. */
const parts = new Set<Query['kind']>(['literal', 'regex', ...leavesOfRole('file')]);
/** Where the search is: these stay with every part. */
const places = new Set<Query['kind']>(leavesOfRole('place'));
/** A query with more parts is not searched part by part. */
const mostParts = 8;
/** In at most this many repositories, searches for similar words are fast. */
const fewRepositories = 8;
/** A query with fewer words is not taken for a pasted message. */
const leastOfMessage = 6;
/** Words of a window over a piece that stands nowhere as a whole: one of its other words may be a value. */
const windowWords = 4;
/** Most searches for pieces of a message. */
const mostTries = 8;

/** The best files of a query, as many as given, with matching lines. */
type Finds = (query: ParsedQuery, files: number) => Promise<readonly FoundFile[]>;

interface ReasonSearch {
  readonly find: Finds;
  /** Number of repositories that the caller may read. */
  readonly repositories: number;
}

/** Whether a reason can be given for a query that nothing matches. */
export function hasReason({ query, options: { types } }: ParsedQuery): boolean {
  const asked = partsOf(query);
  const isAlone = asked.length === 1 && asked.some(({ kind }) => kind === 'literal' || kind === 'file');
  return (isAlone || asked.length > 1) && !types.includes('repo');
}

/**
 * Why nothing was found: which part of the query nothing matches, then what it may mean. Each reason says more than the one
 * before, for callers who cannot wait for all.
 */
export async function* whyNothing(
  { query, options }: ParsedQuery,
  { find, repositories }: ReasonSearch,
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

/** The reason once each part was searched alone. */
function reasonOf(lacking: readonly Query[], { length }: readonly Query[]): string {
  if (lacking.length === 0)
    return 'Each part of the query matches by itself, but no file matches all of them; leave one out, or join some with OR.';
  const names = lacking.map((part) => printPart(inAnyCase(part))).join(', ');
  return `Nothing matches ${names} by itself${lacking.length < length ? '; the other parts do' : ''}.`;
}

/** Whether the query may be a pasted message, and no line that is shown has a piece of it. */
export function isScattered({ query }: ParsedQuery, files: readonly FoundFile[]): boolean {
  const asked = partsOf(query);
  const isMessage = asked.length >= leastOfMessage && asked.every((part) => part.kind === 'literal');
  // Nearly no search is one: the others look at no line.
  if (!isMessage) return false;
  const lines = files.flatMap(({ chunks }) => chunks.flatMap((chunk) => chunk.lines.map((line) => line.toLowerCase())));
  const pasted = piecesOfMessage(asked);
  return lines.length > 0 && !lines.some((line) => pasted.some((piece) => line.includes(piece)));
}

/** Where a piece of a message stands whose words were found apart. */
export async function* whereMessage({ query, options }: ParsedQuery, { find }: ReasonSearch): AsyncGenerator<string> {
  const message = await partOfMessage(partsOf(query), partFinder(query, { find, options }));
  if (message !== '') yield `The words stand apart in these files.${message}`;
}

/** Where a piece of a message stands: a sentence to append to another, or nothing. */
async function partOfMessage(
  asked: readonly Query[],
  find: (part: Query) => Promise<readonly FoundFile[]>,
): Promise<string> {
  for (const piece of piecesOfMessage(asked)) {
    const [file] = await find(literal(piece));
    if (file) return ` If it is a message: "${piece}" stands in ${file.repo} – ${file.path}.`;
  }
  return '';
}

/** The pieces of a pasted message that may stand somewhere as they are, between its values; the longest first. */
function piecesOfMessage(asked: readonly Query[]): string[] {
  const text = asked.flatMap((part) => (part.kind === 'literal' ? part.text : [])).join(' ');
  const pieces = piecesIn(text);
  const windows = pieces.flatMap((piece) => runsIn(piece.text, windowWords));
  const all = new Set([...pieces.map((piece) => piece.text), ...windows]);
  all.delete(text.toLowerCase());
  return [...all].filter((piece) => Buffer.byteLength(piece) <= MAX_LITERAL_BYTES).slice(0, mostTries);
}

/** Finds a part of a query in the places that the query names. */
const partFinder =
  (query: Query, { find, options }: { find: Finds; options: QueryOptions }) =>
  (part: Query, files = 1): Promise<readonly FoundFile[]> =>
    find(queryOf([...placesOf(query), part], { types: options.types }), files);

const conjuncts = (query: Query): readonly Query[] => (query.kind === 'and' ? query.children : [query]);
const partsOf = (query: Query): Query[] => conjuncts(query).filter(({ kind }) => parts.has(kind));
const placesOf = (query: Query): Query[] => conjuncts(query).filter(({ kind }) => places.has(kind));

/** The part as it was written: `case:` stands elsewhere in the query. */
const inAnyCase = (part: Query): Query => ('isCaseSensitive' in part ? { ...part, isCaseSensitive: false } : part);
