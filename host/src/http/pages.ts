import { SextantError, hasPermission, hasScope, joinSignals, requireScope, unlessAborted } from '@sextant/core';
import type { Call, Caller, NavigationLink, Page, PageAccess } from '@sextant/core';
import { assertBodySize } from 'h3';
import type { H3Event } from 'h3';
import { compressed } from './compression.ts';
import type { Generation } from '../server/generation.ts';
import type { ListenerState } from './listening/listener-state.ts';
import { withFields } from '../log/log-fields.ts';
import { traceParentIn } from '../metrics/trace-parent.ts';
import { MostNamed } from './most-named.ts';
import { recordView } from './record-view.ts';
import type { CountedTool } from './record-view.ts';
import {
  authenticate,
  enterCall,
  isForPeople,
  remoteAddressOf,
  requestIdOf,
  unauthenticated,
} from './request-context.ts';
import { allowLongBody } from './listening/request-times.ts';
import { RightsWatch } from './rights-watch.ts';

/** A request to something that a plugin serves. */
export interface PluginRequest {
  event: H3Event;
  generation: Generation;
  state: ListenerState;
}

/** Where people show who they are; the page of a plugin. */
const signInPath = '/sign-in';

/** The caller of a page for anyone who showed no credentials. It has no rights, and no user has the number 0. */
const anonymous: Caller = {
  user: { id: 0, name: '', isServiceAccount: false, isSiteAdmin: false },
  roles: new Set(),
  permissions: new Set(),
  scopes: new Set(),
  credential: 'anonymous',
};

/** Answers a page of a plugin, after its access rule. */
export async function servePage({ event, generation, state }: PluginRequest, page: Page): Promise<Response> {
  const caller = await callerFor(page.access, event, generation);
  if (!caller) return toSignIn(event);
  if (caller !== anonymous) enterCall(event, caller, state);
  const { limits } = generation.settings;
  const meter = caller === anonymous ? undefined : state.processorTime.meterOf(caller, limits);
  // Pages for anyone may themselves end the session that was shown.
  const rights =
    page.access === 'anyone'
      ? undefined
      : new RightsWatch({ event, generation, state, caller, accepted: 'ambient too' });
  if (!page.readsBodyInPieces) assertBodySize(event, generation.settings.limits.requestBytes);
  else allowLongBody(event.runtime?.node?.req);
  const counted: CountedTool[] = [];
  const repositories = new MostNamed();
  const call: Call = {
    ...callOf({ event, generation, state }, caller, page.path),
    ...(rights && { signal: joinSignals(event.req.signal, rights.lost) }),
    navigation: navigationFor(caller, generation),
    noteRepository: (name) => repositories.add(name),
    countAs: (tool, files = []) => void counted.push({ tool, files }),
  };
  if (caller !== anonymous && !isPartOfPages(page))
    recordView({ event, generation }, { kind: 'page', name: page.name, call, counted, repositories });
  const span = {
    name: `${page.method} ${page.name}`,
    requestId: requestIdOf(event),
    attributes: { 'http.request.method': page.method, 'http.route': page.path },
    parent: traceParentIn(event.req),
    ...(meter && { meter }),
  };
  const response = await state.telemetry.inSpan(span, () => respondInTime(page, { event, generation, call }));
  if (page.method === 'GET') await rights?.require();
  const ended = rights ? joinSignals(generation.retiring, rights.lost) : generation.retiring;
  return compressed(untilEnded(response, ended), event.req);
}

/** Time for a page to answer after its signal aborts, in milliseconds, so that it can say what was slow. */
const lastWordMs = 1000;

interface Asked {
  event: H3Event;
  generation: Generation;
  call: Call;
}

/**
 * Has a page answer within the time of a call; what the answer then sends bit by bit may take longer. A body may, too: one that
 * a page reads in pieces is limited there, and Node ends a request whose body does not come. Throws `timeout`.
 */
async function respondInTime(page: Page, { event, generation, call }: Asked): Promise<Response> {
  const services = generation.servicesOf(page);
  if (page.readsBodyInPieces) return page.respond(event.req, services, call);
  const { timeoutMs } = generation.limits;
  const late = new AbortController();
  const signal = joinSignals(call.signal, late.signal);
  const answering = page.respond(event.req, services, { ...call, signal });
  const timer = setInterval(() => {
    if (event.runtime?.node?.req.complete !== false) late.abort(timeoutError(page, timeoutMs));
  }, timeoutMs);
  try {
    return await unlessAborted(answering, signal);
  } catch (error) {
    if (!late.signal.aborted) throw error;
    return await unlessAborted(answering, AbortSignal.timeout(lastWordMs)).catch(() => {
      throw late.signal.reason;
    });
  } finally {
    clearInterval(timer);
  }
}

const timeoutError = ({ name }: Page, timeoutMs: number): SextantError =>
  new SextantError(
    'timeout',
    `the page "${name}" took longer than ${timeoutMs / 1000} s and was stopped; ask for less at once, or try again later`,
  );

/** Ends streams of events when the configuration or the caller's rights change: clients ask again, and may read less then. */
function untilEnded(response: Response, ended: AbortSignal): Response {
  const { body, headers, status } = response;
  if (!body || headers.get('content-type') !== 'text/event-stream') return response;
  const reader = body.getReader();
  // What waits to be read then reads the end.
  const end = (): void => void reader.cancel();
  const forget = (): void => ended.removeEventListener('abort', end);
  ended.addEventListener('abort', end, { once: true });
  const watched = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { value, done } = await reader.read();
      if (!done) return controller.enqueue(value);
      forget();
      controller.close();
    },
    async cancel() {
      forget();
      await reader.cancel();
    },
  });
  return new Response(watched, { status, headers });
}

/** Whether browsers load it by themselves for other pages: stylesheets, modules. */
const isPartOfPages = ({ path }: Page): boolean => path.startsWith('/.assets/');

/** Whether a person looks at a page, and there is one to sign in. Scripts are told how instead. */
function canSignIn(event: H3Event, { assembly }: Generation): boolean {
  if (event.req.method !== 'GET' || !isForPeople(event)) return false;
  return assembly.plugins.some(({ pages }) => pages.some(({ path }) => path === signInPath));
}

function toSignIn({ url }: H3Event): Response {
  const location = `${signInPath}?return=${encodeURIComponent(url.pathname + url.search)}`;
  return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } });
}

/** What surrounds the run of a page or report. */
export function callOf({ event, generation, state }: PluginRequest, caller: Caller, endpoint: string): Call {
  const userAgent = event.req.headers.get('user-agent');
  const clientName = state.clientNames.of({ credential: caller.credential, userAgent });
  const remoteAddress = remoteAddressOf(event, generation);
  return {
    caller,
    endpoint,
    ...(clientName !== undefined && { clientName }),
    ...(remoteAddress !== undefined && { remoteAddress }),
    signal: event.req.signal,
    log: withFields(state.log, { requestId: requestIdOf(event) }),
    reportProgress() {},
  };
}

/** The links to the pages that a caller may open. */
function navigationFor(caller: Caller, { assembly }: Generation): NavigationLink[] {
  const links = assembly.plugins.flatMap(({ pages }) =>
    pages.flatMap(({ link, path, access }) => (link && mayOpen(caller, access) ? [{ ...link, path }] : [])),
  );
  return links.toSorted((a, b) => a.order - b.order).map(({ title, path }) => ({ title, path }));
}

function mayOpen(caller: Caller, access: PageAccess): boolean {
  if (access === 'anyone') return true;
  const { scope, permission } = access;
  return hasScope(caller, scope) && (permission === undefined || hasPermission(caller, permission));
}

/** Undefined for a person who must sign in first. */
async function callerFor(access: PageAccess, event: H3Event, generation: Generation): Promise<Caller | undefined> {
  const caller = await authenticate(event, generation, 'ambient too');
  if (access === 'anyone') return caller ?? anonymous;
  if (!caller && canSignIn(event, generation)) return undefined;
  if (!caller) throw unauthenticated();
  requireScope(caller, access.scope);
  const { permission } = access;
  if (permission !== undefined && !hasPermission(caller, permission))
    throw new SextantError('forbidden', `this needs the permission ${permission}`);
  return caller;
}
