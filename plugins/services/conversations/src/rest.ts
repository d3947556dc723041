import { Conversations, Links, linkedSource, ratings } from '@sextant/contracts';
import type { Conversation } from '@sextant/contracts';
import { SextantError, definePage, mcpAccess } from '@sextant/core';
import type { Call, Page, Resolved } from '@sextant/core';
import { z } from 'zod';

const root = '/.api/deepsearch/v1/conversations';
const one = `${root}/:identifier`;
const needs = { conversations: Conversations, links: Links };
/** As for the tool: what is asked reads code. */
const access = { scope: 'mcp', permission: mcpAccess } as const;

const asked = z.strictObject({ question: z.string() });
const begun = z.strictObject({ question: z.string(), scope: z.array(z.string()).optional() });
const rated = z.strictObject({
  number: z.int().min(1).default(1),
  rating: z.enum(ratings),
  comment: z.string().optional(),
});
const sharing = z.strictObject({ isShared: z.boolean() });
const paging = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  after: z.string().optional(),
});

interface Asked {
  readonly request: Request;
  readonly services: Resolved<typeof needs>;
  readonly call: Call;
  /** Of the path; empty where it has none. */
  readonly identifier: string;
}

const route = (
  [method, path]: readonly [Page['method'], string],
  name: string,
  answer: (asked: Asked) => Promise<Response>,
): Page =>
  definePage({
    name: `deepsearch-api-${name}`,
    method,
    path,
    access,
    needs,
    respond: (request, services, call) => answer({ request, services, call, identifier: identifierIn(request.url) }),
  });

/** The conversation in full, after something was done with it. */
const changing = (
  [method, path]: readonly [Page['method'], string],
  name: string,
  change: (asked: Asked) => Promise<Conversation>,
): Page => route([method, path], name, async (given) => json(200, bodyOf(await change(given), given.services.links)));

/** `/.api/deepsearch/v1/conversations`: deep research for scripts. */
export const routes: readonly Page[] = [
  route(['POST', root], 'create', async ({ request, services, call }) => {
    const { question, scope = [] } = await bodyAs(begun, request, '{"question":"Where is …?","scope":["shop"]}');
    const created = await services.conversations.ask(call, question, { scope });
    return json(201, bodyOf(created, services.links), { location: `${root}/${created.identifier}` });
  }),
  route(['GET', root], 'list', async ({ request, services, call }) => {
    const { limit, after } = queryAs(paging, new URL(request.url).searchParams);
    const page = await services.conversations.list(call.caller, { limit, ...(after !== undefined && { after }) });
    return json(200, page);
  }),
  changing(['GET', one], 'get', ({ services, call, identifier }) =>
    services.conversations.read(call.caller, identifier),
  ),
  changing(['POST', `${one}/questions`], 'follow-up', async ({ request, services, call, identifier }) => {
    const { question } = await bodyAs(asked, request, '{"question":"And who calls it?"}');
    return services.conversations.followUp(call, { identifier, question });
  }),
  changing(['POST', `${one}/cancel`], 'cancel', ({ services, call, identifier }) =>
    services.conversations.cancel(call.caller, identifier),
  ),
  changing(['POST', `${one}/share`], 'share', async ({ request, services, call, identifier }) => {
    const { isShared } = await bodyAs(sharing, request, '{"isShared":true}');
    return services.conversations.share(call.caller, identifier, isShared);
  }),
  changing(['POST', `${one}/reset-token`], 'reset-token', ({ services, call, identifier }) =>
    services.conversations.resetToken(call.caller, identifier),
  ),
  changing(['POST', `${one}/rating`], 'rate', async ({ request, services, call, identifier }) => {
    const { comment, ...rating } = await bodyAs(rated, request, '{"number":1,"rating":"good"}');
    return services.conversations.rate(call.caller, {
      identifier,
      ...rating,
      ...(comment !== undefined && { comment }),
    });
  }),
  route(['DELETE', one], 'delete', async ({ services, call, identifier }) => {
    await services.conversations.remove(call.caller, identifier);
    return new Response(null, { status: 204 });
  }),
];

const identifierIn = (url: string): string => new URL(url).pathname.slice(root.length + 1).split('/')[0] ?? '';

const bodyOf = ({ version: _version, ...conversation }: Conversation, links: Links): object => ({
  ...conversation,
  turns: conversation.turns.map((turn) => ({
    ...turn,
    sources: turn.sources.map((source) => linkedSource(source, links)),
  })),
});

async function bodyAs<T>(schema: z.ZodType<T>, request: Request, example: string): Promise<T> {
  const body: unknown = await request.json().catch(() => undefined);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') || 'body';
  throw new SextantError('invalid_argument', `${where}: ${issue?.message}; send JSON such as ${example}`);
}

function queryAs<T>(schema: z.ZodType<T>, query: URLSearchParams): T {
  const parsed = schema.safeParse(Object.fromEntries(query));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SextantError(
    'invalid_argument',
    `${issue?.path.join('.') || 'query'}: ${issue?.message}; allowed are limit (1 to 100) and after (an endCursor)`,
  );
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } });
