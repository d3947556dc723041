import {
  CodeColours,
  Conversations,
  Directory,
  LanguageModel,
  Links,
  Repositories,
  Sessions,
  conversationMarkdown,
  longestQuestion,
  navigationOrder,
  pageFrame,
  ratings,
} from '@sextant/contracts';
import type { Conversation } from '@sextant/contracts';
import {
  SextantError,
  definePage,
  hasPermission,
  isSextantError,
  mcpAccess,
  optional,
  siteAdministration,
} from '@sextant/core';
import type { Call, Page, Resolved } from '@sextant/core';
import { assetOf, assetResponse, fragmentOf, htmlResponse, suggestionsScript } from '@sextant/library-ui';
import { fencesOf } from './answer.ts';
import { conversationPage, lastTurnOf, missingPage } from './conversation-view.ts';
import { feedbackPage } from './feedback.ts';
import { liveEvents } from './live.ts';
import { overviewPage } from './overview.ts';
import type { Overview } from './overview.ts';
import { feedbackPath, pathOf, root } from './paths.ts';
import { previewsOf } from './previews.ts';

const needs = {
  conversations: Conversations,
  links: Links,
  sessions: Sessions,
  repositories: optional(Repositories),
  colours: optional(CodeColours),
  model: optional(LanguageModel),
};
/** As for the tool: what is asked reads code. */
const access = { scope: 'mcp', permission: mcpAccess } as const;
const script = assetOf('deepsearch.js', [suggestionsScript, new URL('assets/live.js', import.meta.url)]);
const perPage = 50;

interface Visit {
  readonly request: Request;
  readonly services: Resolved<typeof needs>;
  readonly call: Call;
  /** Of the path: the read token, without `.md`. */
  readonly identifier: string;
}

type Respond = (visit: Visit) => Promise<Response>;

const page = (route: { name: string; method: 'GET' | 'POST'; path: string }, respond: Respond): Page =>
  definePage({
    ...route,
    access,
    needs,
    respond: (request, services, call) =>
      respond({ request, services, call, identifier: identifierIn(new URL(request.url).pathname) }),
  });

/** A form that changes a conversation and leads back to it, or says on its page why not. */
const action = (name: string, change: (visit: Visit, fields: URLSearchParams) => Promise<string>): Page =>
  page({ name: `deepsearch-${name}`, method: 'POST', path: `${root}/:identifier/${name}` }, async (visit) => {
    try {
      return seeOther(await change(visit, await visit.services.sessions.readForm(visit.request)));
    } catch (error) {
      if (!isSextantError(error)) throw error;
      return showConversation(visit, { problem: error.message, status: error.code === 'forbidden' ? 403 : 400 });
    }
  });

const own: Respond = (visit) => (isMarkdown(visit) ? markdownOf(visit) : showConversation(visit));

export const pages: readonly Page[] = [
  definePage({
    name: 'deepsearch',
    method: 'GET',
    path: root,
    access,
    needs,
    link: { title: 'Deep search', order: navigationOrder.deepSearch },
    respond: (request, services, call) => showOverview({ request, services, call, identifier: '' }),
  }),
  page({ name: 'deepsearch-ask', method: 'POST', path: root }, async (visit) => {
    const fields = await visit.services.sessions.readForm(visit.request);
    const question = fields.get('question') ?? '';
    const scope = (fields.get('repositories') ?? '').split(/[\s,]+/).filter(Boolean);
    try {
      const { identifier } = await visit.services.conversations.ask(visit.call, question, { scope });
      visit.call.countAs?.('deepsearch');
      return seeOther(pathOf(identifier));
    } catch (error) {
      if (!isSextantError(error)) throw error;
      return showOverview(visit, { question, scope, problem: error.message });
    }
  }),
  definePage({
    name: 'deepsearch-feedback',
    method: 'GET',
    path: feedbackPath,
    access: { scope: 'all', permission: siteAdministration },
    needs: { ...needs, directory: Directory },
    respond: async (request, services, call) =>
      htmlResponse({
        ...(await pageFrame(request, call, services.sessions)),
        path: root,
        title: 'Feedback on answers',
        body: await feedbackPage(services, call),
      }),
  }),
  page({ name: 'deepsearch-conversation', method: 'GET', path: `${root}/:identifier` }, own),
  page({ name: 'deepsearch-shared-conversation', method: 'GET', path: `${root}/shared/:identifier` }, own),
  page({ name: 'deepsearch-events', method: 'GET', path: `${root}/:identifier/events` }, watch),
  page({ name: 'deepsearch-shared-events', method: 'GET', path: `${root}/shared/:identifier/events` }, watch),
  action('questions', async ({ services, call, identifier }, fields) => {
    await services.conversations.followUp(call, { identifier, question: fields.get('question') ?? '' });
    call.countAs?.('deepsearch');
    return pathOf(identifier);
  }),
  action('cancel', async ({ services, call, identifier }) => {
    await services.conversations.cancel(call.caller, identifier);
    return pathOf(identifier);
  }),
  action('share', async ({ services, call, identifier }, fields) => {
    await services.conversations.share(call.caller, identifier, fields.get('shared') === '1');
    return pathOf(identifier);
  }),
  action('reset-token', async ({ services, call, identifier }) => {
    const { identifier: fresh } = await services.conversations.resetToken(call.caller, identifier);
    return pathOf(fresh);
  }),
  action('rating', async ({ services, call, identifier }, fields) => {
    const comment = fields.get('comment') ?? '';
    const number = Number(fields.get('number'));
    const rating = ratings.find((each) => each === fields.get('rating')) ?? 'bad';
    await services.conversations.rate(call.caller, { identifier, number, rating, comment });
    return `${pathOf(identifier)}#question-${number}`;
  }),
  action('delete', async ({ services, call, identifier }) => {
    await services.conversations.remove(call.caller, identifier);
    return root;
  }),
  definePage({
    name: 'deepsearch-script',
    method: 'GET',
    path: script.path,
    access: 'anyone',
    needs: {},
    respond: async () => assetResponse(script),
  }),
];

const identifierIn = (path: string): string =>
  path.split('/')[path.startsWith(`${root}/shared/`) ? 3 : 2]?.replace(/\.md$/, '') ?? '';

const isMarkdown = ({ request }: Visit): boolean => new URL(request.url).pathname.endsWith('.md');

async function showOverview(visit: Visit, refused?: Overview['refused']): Promise<Response> {
  const { request, services, call } = visit;
  const after = new URL(request.url).searchParams.get('after') ?? undefined;
  const { csrfToken, setCookie } = await services.sessions.formToken(request);
  const list = await services.conversations.list(call.caller, {
    limit: perPage,
    ...(after !== undefined && { after }),
  });
  const body = overviewPage({
    page: list,
    csrfToken,
    isFirstPage: after === undefined,
    repositories: (await services.repositories?.list(call.caller)) ?? [],
    model: services.model?.model,
    seesFeedback: hasPermission(call.caller, siteAdministration),
    scope: new URL(request.url).searchParams.getAll('repository'),
    question: (new URL(request.url).searchParams.get('question') ?? '').slice(0, longestQuestion),
    ...(refused && { refused }),
  });
  return htmlResponse({
    ...(await pageFrame(request, call, services.sessions)),
    path: root,
    title: 'Deep search',
    body,
    modules: [script.path],
    setCookie,
    ...(refused && { status: 400 }),
  });
}

interface Refusal {
  readonly problem: string;
  readonly status: number;
}

async function showConversation(visit: Visit, refusal?: Refusal): Promise<Response> {
  const { request, services, call } = visit;
  const frame = { ...(await pageFrame(request, call, services.sessions)), path: root };
  const conversation = await find(visit);
  if (!conversation) return htmlResponse({ ...frame, title: 'Not found', body: missingPage(), status: 404 });
  const { csrfToken, setCookie } = await services.sessions.formToken(request);
  const [previews, fences] = await Promise.all([
    previewsOf(conversation, services, call),
    fencesOf(conversation, services.links, services.colours),
  ]);
  const view = {
    conversation,
    links: services.links,
    csrfToken,
    previews,
    fences,
    ...(refusal && { problem: refusal.problem }),
  };
  return htmlResponse({
    ...frame,
    title: conversation.title,
    body: conversationPage(view),
    modules: [script.path],
    setCookie,
    ...(refusal && { status: refusal.status }),
  });
}

async function markdownOf(visit: Visit): Promise<Response> {
  const conversation = await find(visit);
  if (!conversation) throw new SextantError('not_found', 'there is no such conversation');
  return new Response(`# ${conversation.title}\n\n${conversationMarkdown(conversation)}\n`, {
    headers: { 'content-type': 'text/markdown; charset=utf-8', 'cache-control': 'no-store' },
  });
}

async function watch(visit: Visit): Promise<Response> {
  const { request, services, call, identifier } = visit;
  await services.conversations.read(call.caller, identifier);
  const { csrfToken } = await services.sessions.formToken(request);
  const last = request.headers.get('last-event-id') ?? new URL(request.url).searchParams.get('version');
  const render = (conversation: Conversation): string =>
    fragmentOf(lastTurnOf({ conversation, links: services.links, csrfToken }));
  return liveEvents({ conversations: services.conversations, call, identifier, version: Number(last) || 0, render });
}

async function find({ services, call, identifier }: Visit): Promise<Conversation | undefined> {
  try {
    return await services.conversations.read(call.caller, identifier);
  } catch (error) {
    if (isSextantError(error) && error.code === 'not_found') return undefined;
    throw error;
  }
}

const seeOther = (location: string): Response =>
  new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } });
