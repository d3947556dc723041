import {
  defaultSearchLimits,
  History,
  Links,
  pageFrame,
  parseQuery,
  QuerySyntaxError,
  Repositories,
  Search,
  Sessions,
  Symbols,
  subjectOf,
  navigationOrder,
} from '@sextant/contracts';
import type { FoundHistory, PageFrame, ParsedQuery, SearchResult } from '@sextant/contracts';
import { definePage, isSextantError, optional } from '@sextant/core';
import type { Call, SextantError } from '@sextant/core';
import { askedIn } from './asked.ts';
import type { Asked } from './asked.ts';
import { asFiles } from './symbol-files.ts';
import { show } from './view.ts';

interface Services {
  readonly search: Search;
  readonly history: History | undefined;
  readonly symbols: Symbols | undefined;
  readonly links: Links;
  readonly repositories: Repositories;
}

/** What came of a search. */
export type Outcome =
  | { readonly kind: 'nothing asked'; readonly example: string | undefined }
  | { readonly kind: 'mistake'; readonly position: number; readonly problem: string }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'files'; readonly result: SearchResult; readonly milliseconds: number }
  | { readonly kind: 'history'; readonly found: FoundHistory; readonly milliseconds: number };

export interface View {
  readonly frame: PageFrame;
  readonly asked: Asked;
  readonly outcome: Outcome;
  readonly links: Links;
}

const limits = { ...defaultSearchLimits, lineCharacters: 400 };

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
  },
  async respond(request, services, call) {
    const asked = askedIn(new URL(request.url).searchParams);
    const [frame, outcome] = await Promise.all([
      pageFrame(request, call, services.sessions),
      outcomeOf(asked, services, call),
    ]);
    return show({ frame, asked, outcome, links: services.links });
  },
});

async function outcomeOf(asked: Asked, services: Services, call: Call): Promise<Outcome> {
  if (asked.query === '') {
    const [first] = await services.repositories.list(call.caller);
    return { kind: 'nothing asked', example: first?.name };
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

type Found = { kind: 'files'; result: SearchResult } | { kind: 'history'; found: FoundHistory };

async function search(
  parsed: ParsedQuery,
  {
    asked: { mode, show: files },
    services: { search, history, symbols },
    call,
  }: { asked: Asked; services: Services; call: Call },
): Promise<Found> {
  const { caller, signal } = call;
  const subject = subjectOf(parsed);
  const asked = { ...parsed, limit: files };
  call.countAs?.(subject === 'history' ? 'commit_search' : mode === 'natural' ? 'nls_search' : 'keyword_search');
  if (subject === 'history' && history) return { kind: 'history', found: await history.find(caller, asked, signal) };
  if (subject === 'symbols' && symbols)
    return { kind: 'files', result: asFiles(await symbols.search(caller, asked, signal)) };
  return {
    kind: 'files',
    result: await search.find(caller, { ...parsed, mode, limits: { ...limits, files } }, signal),
  };
}

/** Errors that the person can do something about. The host answers all others. */
const isAnswer = ({ code }: SextantError): boolean =>
  ['invalid_argument', 'not_found', 'too_large', 'unavailable', 'timeout'].includes(code);

/** The message without the excerpt below it: the page shows the query itself. */
const problemOf = ({ message }: QuerySyntaxError): string => (message.split('\n')[0] ?? '').replace(/^.*?: /, '');
