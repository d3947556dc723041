import { Sessions, pageFrame } from '@sextant/contracts';
import type { ChangedBy } from '@sextant/contracts';
import { definePage, isSextantError, siteAdministration } from '@sextant/core';
import type { Call, Needs, Page, Resolved } from '@sextant/core';
import { flash, htmlResponse, notice } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';

export const root = '/site-admin';

/** Of forms of a long list, how many rows the page told of: whoever chooses all means those. */
export const countField = 'matching';

export const access = { scope: 'all', permission: siteAdministration } as const;

/** A request for a page of administrators, with what the page needs. */
export interface Visit<N extends Needs> {
  readonly url: URL;
  readonly services: Resolved<N>;
  readonly call: Call;
  readonly csrfToken: string;
  /** The input of a form of the page that was refused. */
  readonly typed: URLSearchParams;
}

export interface AdminPage<N extends Needs> {
  readonly name: string;
  readonly title: string;
  /** Below `/site-admin`; empty for that itself. */
  readonly path: string;
  /** Absent for a page that another one leads to. */
  readonly order?: number;
  readonly needs: N;
  /** What `?done=` may name. */
  readonly messages?: Readonly<Record<string, string>>;
  body(visit: Visit<N>): Promise<Content>;
  /** Forms of the page by the last part of their path. */
  readonly actions?: Readonly<
    Record<string, (fields: URLSearchParams, visit: Omit<Visit<N>, 'typed'>) => Promise<Outcome>>
  >;
}

/** What follows a form: the page with the message of that name, and a query where it needs one; or what is shown only now. */
export type Outcome = string | { readonly done: string; readonly query: Readonly<Record<string, string>> } | ShownOnce;

interface ShownOnce {
  readonly shown: Content;
}

/** A page with its forms: a form that is refused shows the page again, with the reason and what was typed. */
export function adminPage<N extends Needs>(definition: AdminPage<N>): readonly Page[] {
  const path = root + definition.path;
  const needs = { ...definition.needs, [sessionsKey]: Sessions };
  const shown = definePage({
    name: definition.name,
    method: 'GET',
    path,
    access,
    ...(definition.order !== undefined && { link: { title: definition.title, order: definition.order } }),
    needs,
    respond: (request, services, call) => show({ request, services, call, definition }),
  });
  const actions = Object.entries(definition.actions ?? {}).map(([name, act]) =>
    definePage({
      name: `${definition.name}-${name}`,
      method: 'POST',
      path: `${path}/${name}`,
      access,
      needs,
      respond: (request, services, call) => changed({ request, services, call, definition }, act),
    }),
  );
  return [shown, ...actions];
}

/** Where no need of a page can be in the way. */
const sessionsKey = 'admin:sessions';

/** The compiler cannot tell the keys of `N` from this one. */
const sessionsIn = (services: Readonly<Record<string, unknown>>): Sessions => services[sessionsKey] as Sessions;

interface Asked<N extends Needs> {
  readonly request: Request;
  readonly services: Resolved<N>;
  readonly call: Call;
  readonly definition: AdminPage<N>;
}

/** What a form came to that does not lead back to the page. */
interface Answered {
  readonly message: Content;
  readonly status: number;
  readonly typed: URLSearchParams;
}

async function show<N extends Needs>(asked: Asked<N>, answered?: Answered): Promise<Response> {
  const { request, services, call, definition } = asked;
  const sessions = sessionsIn(services);
  const { csrfToken, setCookie } = await sessions.formToken(request);
  const typed = answered?.typed ?? new URLSearchParams();
  const url = new URL(request.url);
  if (answered) url.search = String(new URLSearchParams(listIn(typed)));
  const body = await definition.body({ url, services, call, csrfToken, typed });
  const message = answered ? answered.message : flash(request.url, definition.messages ?? {});
  return htmlResponse({
    ...(await pageFrame(request, call, sessions)),
    path: root + definition.path,
    title: definition.path === '' ? definition.title : `${definition.title} · Site admin`,
    body: [message, body],
    setCookie,
    ...(answered && { status: answered.status }),
  });
}

type Action<N extends Needs> = NonNullable<AdminPage<N>['actions']>[string];

async function changed<N extends Needs>(asked: Asked<N>, act: Action<N>): Promise<Response> {
  const { request, services, call, definition } = asked;
  const fields = await sessionsIn(services).readForm(request);
  try {
    const outcome = await act(fields, { url: new URL(request.url), services, call, csrfToken: '' });
    if (isShownOnce(outcome)) return show(asked, { message: outcome.shown, status: 200, typed: fields });
    const { done, query } = typeof outcome === 'string' ? { done: outcome, query: {} } : outcome;
    const location = `${root}${definition.path}?${new URLSearchParams({ ...listIn(fields), ...query, done })}`;
    return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } });
  } catch (error) {
    if (!isSextantError(error) || !/^(invalid_argument|conflict|not_found)$/.test(error.code)) throw error;
    const message = notice('danger', error.message);
    return show(asked, { message, status: error.code === 'not_found' ? 404 : 400, typed: fields });
  }
}

const isShownOnce = (outcome: Outcome): outcome is ShownOnce => typeof outcome === 'object' && 'shown' in outcome;

/** The list that a form was sent from, as the query of its page. */
const listIn = (fields: URLSearchParams): Readonly<Record<string, string>> =>
  Object.fromEntries(fields.has(countField) ? [...fields].filter(([name]) => /^(find|kind|sort)$/.test(name)) : []);

/** For the record of what is changed. */
export const changedBy = ({ caller: { user }, remoteAddress }: Call): ChangedBy => ({
  actor: { id: user.id, name: user.name },
  ...(remoteAddress !== undefined && { address: remoteAddress }),
});
