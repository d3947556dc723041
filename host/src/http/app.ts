import { SextantError, isSextantError } from '@sextant/core';
import type { Page } from '@sextant/core';
import { H3, HTTPResponse } from 'h3';
import type { H3Event, HTTPError } from 'h3';
import { CrossOrigin, isPreflight } from './cors.ts';
import {
  encodingNotSupported,
  errorResponse,
  errorText,
  methodNotAllowed,
  methodNotAllowedInApi,
  statusOf,
  textResponse,
} from './errors-http.ts';
import type { Generation } from '../server/generation.ts';
import { healthRoutes, isAdministrator } from './health.ts';
import type { MayKnow } from './health.ts';
import type { ListenerState } from './listening/listener-state.ts';
import { McpEndpoint } from '../mcp/endpoint.ts';
import { originCheck } from './origin.ts';
import { servePage } from './pages.ts';
import { recordRefusal } from './record-refusal.ts';
import { serveReport } from '../reports/reports.ts';
import { assignRequestId, authenticate, isForPeople, requestIdOf, whenClosed } from './request-context.ts';

const mcpRoot = '/.api/mcp';

/** Sent with every answer; a page may replace what it must. */
const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

type Answer = (event: H3Event) => unknown;

/** The whole HTTP side. Each request is answered by the routes of the generation that was current when it came. */
export function createApp(state: ListenerState): H3 {
  const answers = new WeakMap<Generation, Answer>();
  const app = new H3({
    silent: true,
    onError: (error, event) => answerError(error, event, state),
    onResponse: (_, event) => {
      closeAfterHalfABody(event);
      if (state.isDraining && event.runtime?.node?.res?.headersSent === false)
        setHeaders(event, { connection: 'close' });
    },
  });
  app.all('/**', (event) => {
    setHeaders(event, { 'x-request-id': assignRequestId(event), ...securityHeaders });
    const generation = state.serving.current;
    whenClosed(event, generation.hold());
    const answer = answers.get(generation) ?? createAnswer(generation, state);
    answers.set(generation, answer);
    return answer(event);
  });
  return app;
}

/** For a listener of its own: the state of the server, to whoever reaches it. */
export function createHealthApp(state: ListenerState, isLoopback: boolean): H3 {
  const app = new H3({ silent: true, onError: (error, event) => answerError(error, event, state) });
  for (const [path, respond] of Object.entries(healthRoutes))
    onlyGet(app, path, (event) => {
      setHeaders(event, { 'x-request-id': assignRequestId(event), ...securityHeaders });
      originCheck({ isLoopback, externalURL: state.serving.current.externalURL })(event.req.headers);
      return respond(state, async () => true);
    });
  return app.all('/**', notFound);
}

function createAnswer(generation: Generation, state: ListenerState): Answer {
  const requireAllowedOrigin = originCheck({ isLoopback: state.isLoopback, externalURL: generation.externalURL });
  const crossOrigin = new CrossOrigin(generation.settings['cors.allowedOrigins'], generation.registry.endpoints);
  const endpoints = createEndpoints(generation, state);
  const routes = createRoutes(generation, state);
  return (event) => {
    const cors = crossOrigin.headersFor(event);
    requireAllowedOrigin(event.req.headers, cors !== undefined);
    if (cors) setHeaders(event, cors);
    if (!/^(identity)?$/i.test(event.req.headers.get('content-encoding') ?? '')) return encodingNotSupported();
    if (cors && isPreflight(event.req)) return new HTTPResponse(null, { status: 204 });
    // Without the router, which also decodes: the contract has exactly these paths, with or without a slash at the end.
    const path = event.url.pathname.replace(/(?<=.)\/$/, '');
    return endpoints.get(path)?.respond(event) ?? routes.handler(event);
  };
}

function createRoutes(generation: Generation, state: ListenerState): H3 {
  const routes = new H3();
  for (const [path, respond] of Object.entries(healthRoutes))
    onlyGet(routes, path, (event) => respond(state, administratorsMayKnow(event, generation)));
  for (const { reports, pages } of generation.assembly.plugins) {
    for (const report of reports)
      onlyGet(routes, report.path, (event) => serveReport({ event, generation, state }, report));
    for (const page of pages)
      for (const method of page.method === 'GET' ? (['GET', 'HEAD'] as const) : [page.method])
        routes.on(method, page.path, (event) => {
          if (!isExactly(page, event)) return page.method === 'GET' ? movedTo(page, event) : notFound();
          return page.accepts?.(event.url.pathname) === false
            ? notFound()
            : servePage({ event, generation, state }, page);
        });
  }
  if (!generation.settings['mcp.enabled'])
    for (const path of [mcpRoot, `${mcpRoot}/**`]) routes.all(path, () => textResponse(404, 'no route'));
  routes.all('/api/**', () => errorResponse(noSuchReport(generation)));
  routes.all('/**', notFound);
  return routes;
}

function createEndpoints(generation: Generation, state: ListenerState): ReadonlyMap<string, McpEndpoint> {
  const paths = generation.settings['mcp.enabled'] ? generation.registry.endpoints : [];
  return new Map(paths.map((path) => [path, new McpEndpoint({ path, generation, state })]));
}

/** Callers without an administrator's credentials learn only what anyone may know. */
const administratorsMayKnow =
  (event: H3Event, generation: Generation): MayKnow =>
  async (scope) =>
    isAdministrator(await authenticate(event, generation, 'ambient too'), scope);

function onlyGet(routes: H3, path: string, respond: (event: H3Event) => Promise<HTTPResponse | Response>): void {
  const refuse = path.startsWith('/api/') ? methodNotAllowedInApi : methodNotAllowed;
  routes.all(path, (event) => (/^(GET|HEAD)$/.test(event.req.method) ? respond(event) : refuse('GET, HEAD')));
}

/** Errors of the API are JSON, this one too. */
function noSuchReport({ assembly }: Generation): SextantError {
  const paths = assembly.plugins.flatMap(({ reports }) => reports.map(({ path }) => path));
  return new SextantError('not_found', `nothing answers here; the reports are ${paths.join(', ') || 'none'}`);
}

/**
 * Whether a request spells the path of a page as the page itself does. The router decodes and ignores a slash at the
 * end. A page that compares paths as text would then skip a check for `/register/` or `/%72egister`.
 */
const isExactly = ({ path }: Page, { req }: H3Event): boolean =>
  /[:*]/.test(path) || new URL(req.url).pathname === path;

const movedTo = ({ path }: Page, { url }: H3Event): HTTPResponse =>
  textResponse(308, '', { location: path + url.search });

const notFound = (): HTTPResponse => textResponse(404, 'not found');

/** Set on the response below, so that they stand on refusals, streams and what a plugin answers alike. */
function setHeaders(event: H3Event, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) event.runtime?.node?.res?.setHeader(name, value);
}

/**
 * Closes the connection if a body was read in part and abandoned. Its rest would stand before the next request on the
 * connection, which would wait until a timeout. Behind a proxy that request may be anybody's. Node itself drops only
 * bodies that nobody began to read.
 */
function closeAfterHalfABody({ runtime }: H3Event): void {
  const { req, res } = runtime?.node ?? {};
  if (!req || !res || req.complete || res.headersSent) return;
  if (req.destroyed || req.listenerCount('data') > 0) res.setHeader('connection', 'close');
}

function answerError(error: HTTPError, event: H3Event, state: ListenerState): HTTPResponse {
  const { log } = state;
  const answer = isForPeople(event) ? errorText : errorResponse;
  const refusal = refusalIn(error);
  if (refusal) {
    recordRefusal(state, refusal, event);
    return answer(refusal);
  }
  const requestId = requestIdOf(event);
  const fields = { requestId, path: event.url.pathname, err: error.cause };
  // Nobody reads the answer, and what failed was most likely the reading of the rest of the request.
  if (event.runtime?.node?.res?.closed) log.debug(fields, 'the client went away');
  else log.error(fields, 'request failed');
  return answer(
    new SextantError('internal', `internal error ${requestId}; the server's log has the details under this id`),
  );
}

/** Errors that the caller may see: our own refusals, and what the HTTP library finds wrong with a request. */
function refusalIn({ cause, status, message }: HTTPError): SextantError | undefined {
  if (isSextantError(cause)) return cause;
  if (status === statusOf.too_large) return new SextantError('too_large', message);
  return status >= 400 && status < 500 ? new SextantError('invalid_argument', message) : undefined;
}
