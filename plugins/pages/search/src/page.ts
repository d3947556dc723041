import {
  CodeColours,
  defaultSearchLimits,
  History,
  Links,
  pageFrame,
  parseQuery,
  QuerySyntaxError,
  isCloned,
  Repositories,
  Search,
  Sessions,
  Symbols,
  subjectOf,
  navigationOrder,
} from '@sextant/contracts';
import type { FoundHistory, FoundSymbols, PageFrame, ParsedQuery, SearchResult, TextFile } from '@sextant/contracts';
import { definePage, inTime, isSextantError, optional } from '@sextant/core';
import type { Call, SextantError } from '@sextant/core';
import { fragmentResponse } from '@sextant/library-ui';
import { askedIn } from './asked.ts';
import type { Asked } from './asked.ts';
import { csvOf } from './csv.ts';
import { commitFacets, facetList, fileFacets, symbolFacets } from './facets.ts';
import type { FacetGroup } from './facets.ts';
import { show, showResults } from './view.ts';

export interface Services {
  readonly search: Search;
  readonly history: History | undefined;
  readonly symbols: Symbols | undefined;
  readonly links: Links;
  readonly repositories: Repositories;
  readonly colours: CodeColours | undefined;
}

/** What came of a search. */
export type Outcome =
  /** It takes longer than the page waits. */
  | { readonly kind: 'later' }
  | { readonly kind: 'nothing asked'; readonly example: string | undefined }
  | { readonly kind: 'mistake'; readonly position: number; readonly problem: string }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'files'; readonly result: SearchResult; readonly milliseconds: number }
  | { readonly kind: 'history'; readonly found: FoundHistory; readonly milliseconds: number };

/** What results can be narrowed by: `later` where that takes longer than the page waits. */
export type Facets = { readonly groups: readonly FacetGroup[]; readonly isPartial: boolean } | 'later';

/** Without a revision at the default branch. */
interface FileAt {
  readonly repo: string;
  readonly revision: string | undefined;
  readonly path: string;
}

export interface View {
  readonly frame: PageFrame;
  readonly asked: Asked;
  readonly outcome: Outcome;
  readonly facets: Promise<Facets>;
  readonly links: Links;
  readonly colours: CodeColours | undefined;
  /** Milliseconds that are waited for the colours of a piece. */
  readonly coloursMs: number;
  /** Whether a script may get these results again for colours that are late. */
  readonly isFirst: boolean;
  /** A whole file, in whose colours its lines are shown. All pieces of it are of one reading. */
  readonly read: (file: FileAt) => Promise<TextFile>;
}

/** Where one file alone matches, as after a click on all its matches, more of its lines are shown. */
const limits = { ...defaultSearchLimits, lineCharacters: 400, linesShownWhole: 200 };
/** Milliseconds after which a page is shown without its results, which are then asked for apart. */
const waitForResultsMs = 150;
/** Files of which the filters at the side tell how many there are. */
const mostCounted = 500;
/** Milliseconds after which a page with its results does not wait for what is beside them. */
const waitMs = 60;
/** Most commits that history gives at once. */
const mostCommits = 100;
const mostInCsv = 1000;
/**
 * Milliseconds that a page waits for colours, and for its search and them together; that results wait for them which were
 * late themselves, and so are not searched for once more: as long as their search took, within bounds; and that those of the
 * page wait which are asked for again.
 */
const waitForColoursMs = { page: 50, andSearch: 110, late: { least: 250, most: 2000 }, again: 3000 };

export const searchPage = definePage({
  name: 'search',
  method: 'GET',
  path: '/search',
  access: { scope: 'all' },
  link: { title: 'Search', order: navigationOrder.search },
  needs: {
    search: Search,
    links: Links,
    repositories: Repositories,
    history: optional(History),
    symbols: optional(Symbols),
    sessions: optional(Sessions),
    colours: optional(CodeColours),
  },
  async respond(request, services, call) {
    const { searchParams } = new URL(request.url);
    const asked = askedIn(searchParams);
    const part = searchParams.get('part');
    if (part === 'facets') return facetsPart(asked, services, call);
    if (searchParams.get('format') === 'csv' && asked.query !== '') {
      const found = await search(parseQuery(asked.query), { asked: { ...asked, show: mostInCsv }, services, call });
      countSearch(asked, found, call);
      return csvOf(asked.query, found, services.links);
    }
    // Scripts have no use for half a page.
    const mayWait = part !== null || !isForPeople(request);
    const [frame, outcome] = await Promise.all([
      pageFrame(request, call, services.sessions),
      mayWait ? outcomeOf(asked, services, call) : outcomeInTime(asked, services, call),
    ]);
    const isAgain = part === 'coloured';
    if (!isAgain) countSearch(asked, outcome, call);
    const { links, colours } = services;
    const isFirst = part === null;
    const coloursMs = isAgain ? waitForColoursMs.again : timeForColours(outcome, isFirst);
    const read = readOnce(services.repositories, call);
    const shown = { frame, asked, outcome, links, colours, coloursMs, isFirst, read };
    if (isAgain) return showResults({ ...shown, facets: Promise.resolve(noFacets) });
    const facets = facetsOf(asked, outcome, { services, call });
    return (part === 'results' ? showResults : show)({ ...shown, facets });
  },
});

/** Counts a search as a call of the tool that answers it. */
function countSearch({ mode }: Asked, outcome: Outcome | Found, { countAs, noteRepository }: Call): void {
  const { kind } = outcome;
  const found = kind === 'files' ? outcome.result.files : kind === 'history' ? outcome.found.results : [];
  for (const { repo } of found) noteRepository?.(repo);
  if (kind === 'history') countAs?.('commit_search');
  if (kind === 'files') countAs?.(mode === 'natural' ? 'nls_search' : 'keyword_search');
}

/** On the page what the search left of the time for both. */
const timeForColours = (outcome: Outcome, isFirst: boolean): number => {
  const { page, andSearch, late } = waitForColoursMs;
  const searchMs = 'milliseconds' in outcome ? outcome.milliseconds : 0;
  return isFirst
    ? Math.min(page, Math.max(0, andSearch - searchMs))
    : Math.min(late.most, Math.max(late.least, searchMs));
};

function readOnce(repositories: Repositories, { caller, signal }: Call): View['read'] {
  const files = new Map<string, Promise<TextFile>>();
  const read = async ({ repo, revision, path }: FileAt): Promise<TextFile> => {
    const repository = await repositories.open(caller, repo, { isNamed: false });
    return (await repository.readTextAt(revision, path, signal)).file;
  };
  return (file) => {
    const key = JSON.stringify([file.repo, file.revision, file.path]);
    const known = files.get(key) ?? read(file);
    files.set(key, known);
    return known;
  };
}

const isForPeople = ({ headers }: Request): boolean => headers.get('accept')?.includes('text/html') ?? false;

/** A search that takes longer than the page waits is given up, and begun anew by who asks again. */
const outcomeInTime = async (asked: Asked, services: Services, call: Call): Promise<Outcome> =>
  (await inTime(waitForResultsMs, (signal) => outcomeOf(asked, services, { ...call, signal }), call.signal)) ?? {
    kind: 'later',
  };

async function outcomeOf(asked: Asked, services: Services, call: Call): Promise<Outcome> {
  if (asked.query === '') {
    const all = await services.repositories.list(call.caller);
    return { kind: 'nothing asked', example: all.find(isCloned)?.name };
  }
  const started = performance.now();
  try {
    const outcome = await search(parseQuery(asked.query), { asked, services, call });
    return { ...outcome, milliseconds: performance.now() - started };
  } catch (error) {
    if (error instanceof QuerySyntaxError)
      return { kind: 'mistake', position: error.position, problem: problemOf(error) };
    if (!isSextantError(error) || !isAnswer(error)) throw error;
    return { kind: 'refused', message: error.message };
  }
}

/** What was found, before anybody shows it. */
export type Found = { kind: 'files'; result: SearchResult } | { kind: 'history'; found: FoundHistory };

async function search(
  parsed: ParsedQuery,
  {
    asked: { mode, show: files, explains, kind },
    services: { search, history, symbols },
    call,
  }: { asked: Asked; services: Services; call: Call },
): Promise<Found> {
  const { caller, signal } = call;
  const subject = subjectOf(parsed);
  if (subject === 'history' && history)
    return {
      kind: 'history',
      found: await history.find(caller, { ...parsed, limit: historyLimit(parsed, files) }, signal),
    };
  if (subject === 'symbols' && symbols)
    return { kind: 'files', result: asFiles(await definitions(parsed, { symbols, call, files, kind })) };
  return {
    kind: 'files',
    result: await search.find(caller, { ...parsed, mode, limits: { ...limits, files }, explain: explains }, signal),
  };
}

/** Those of one kind are found among the first that are counted. */
async function definitions(
  parsed: ParsedQuery,
  { symbols, call, files, kind }: { symbols: Symbols; call: Call; files: number; kind: string | undefined },
): Promise<FoundSymbols> {
  if (kind === undefined) return symbols.search(call.caller, { ...parsed, limit: files }, call.signal);
  const found = await allDefinitions(parsed, symbols, call);
  const ofKind = found.files.flatMap((file) => {
    const places = file.places.filter((place) => place.kind === kind);
    const isShown = (line: number): boolean => places.some((place) => place.line === line);
    const chunks = file.chunks.filter(({ startLine, lines }) => lines.some((_, index) => isShown(startLine + index)));
    return places.length === 0 ? [] : [{ ...file, places, chunks }];
  });
  const matchCount = ofKind.reduce((sum, { places }) => sum + places.length, 0);
  return { ...found, files: ofKind.slice(0, files), matchCount };
}

const allDefinitions = (parsed: ParsedQuery, symbols: Symbols, { caller, signal }: Call): Promise<FoundSymbols> => {
  const options = { ...parsed.options, count: parsed.options.count ?? mostCounted };
  return symbols.search(caller, { ...parsed, options, limit: mostCounted }, signal);
};

/** More commits than are shown are counted by their authors and years. Hunks take too long for that. */
const historyLimit = ({ options: { types } }: ParsedQuery, shown: number): number =>
  types.includes('diff') ? Math.min(shown, mostCommits) : mostCommits;

/** Counts more files than are shown, without their lines; undefined where other things are asked for, or nothing can be found. */
async function countedFacets(
  { query, mode }: Asked,
  { search, symbols }: Services,
  call: Call,
): Promise<Exclude<Facets, 'later'> | undefined> {
  try {
    const parsed = query === '' ? undefined : parseQuery(query);
    if (!parsed || parsed.options.count !== undefined) return undefined;
    if (subjectOf(parsed) === 'symbols' && symbols) {
      const { files, limitHit } = await allDefinitions(parsed, symbols, call);
      return { groups: symbolFacets(files, query), isPartial: limitHit };
    }
    if (subjectOf(parsed) !== 'files') return undefined;
    const counted = { ...limits, files: mostCounted, chunksPerFile: 0 };
    return facetsIn(await search.find(call.caller, { ...parsed, mode, limits: counted }, call.signal), query);
  } catch {
    // The page tells what is wrong with the search itself.
    return undefined;
  }
}

const noFacets: Facets = { groups: [], isPartial: false };

/** Counting begins when the results are there: it would take their time. */
async function facetsOf(
  asked: Asked,
  outcome: Outcome,
  { services, call }: { services: Services; call: Call },
): Promise<Facets> {
  const { query } = asked;
  if (outcome.kind === 'history')
    return { groups: commitFacets(outcome.found.results, query), isPartial: outcome.found.isLimited };
  if (outcome.kind !== 'files') return noFacets;
  const leftMs = waitMs - outcome.milliseconds;
  if (leftMs <= 0) return 'later';
  const late = new Promise<'later'>((resolve) => setTimeout(resolve, leftMs, 'later' as const).unref());
  return (await Promise.race([countedFacets(asked, services, call), late])) ?? facetsIn(outcome.result, query);
}

const facetsIn = ({ files, limitHit }: SearchResult, query: string): Exclude<Facets, 'later'> => ({
  groups: fileFacets(files, query),
  isPartial: limitHit,
});

/** What a page did not wait for. */
async function facetsPart(asked: Asked, services: Services, call: Call): Promise<Response> {
  const found = await countedFacets(asked, services, call);
  return fragmentResponse(found && facetList(asked, found.groups, found.isPartial));
}

/** Errors that the person can do something about. The host answers all others. */
const isAnswer = ({ code }: SextantError): boolean =>
  ['invalid_argument', 'not_found', 'too_large', 'unavailable', 'timeout'].includes(code);

/** The message without the excerpt below it: the page shows the query itself. */
const problemOf = ({ message }: QuerySyntaxError): string => (message.split('\n')[0] ?? '').replace(/^.*?: /, '');

/** Definitions in the form of a search for files: they are shown alike. */
function asFiles({ files, matchCount, limitHit, notes }: FoundSymbols): SearchResult {
  const found = files.map(({ places, ...file }) => ({
    ...file,
    commit: '',
    matches: [...Map.groupBy(places, ({ line }) => line)].map(([line, ofLine]) => ({
      line,
      text: '',
      ranges: ofLine.flatMap(({ range }) => (range ? [range] : [])).toSorted(([a], [b]) => a - b),
    })),
    matchCount: places.length,
  }));
  return { type: 'file', files: found, matchCount, fileCount: files.length, limitHit, notes };
}
