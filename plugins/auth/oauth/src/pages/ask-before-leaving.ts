import { html, htmlResponse, linkButton, notice } from '@sextant/library-ui';
import type { ClientStore } from '../clients/client-store.ts';

/**
 * A refusal redirects at once, before anyone has signed in. Whoever registers a client could so make links of this server
 * lead to a site of theirs (RFC 9700 section 4.11.2): to sites of clients that nobody checked a person goes by themselves.
 */
export async function askBeforeLeaving(answer: Response, { url }: Request, clients: ClientStore): Promise<Response> {
  const target = URL.parse(answer.headers.get('location') ?? '');
  if (target?.protocol !== 'https:' || !refusalIn(target)) return answer;
  const clientId = new URL(url).searchParams.get('client_id') ?? '';
  if (!(await clients.isSelfRegistered(clientId))) return answer;
  const { error, description } = refusalIn(target) ?? {};
  return htmlResponse({
    title: 'This did not work',
    isNarrow: true,
    status: 400,
    body: html`<h1>This did not work</h1>
      ${notice('danger', `${description ?? 'The client asked for something that it cannot have.'} (${error})`)}
      <p>The client that sent you here is not known to this server. Close this page, or go back to it if you trust it:</p>
      <div>${linkButton(`Go to ${target.host}`, target.href, { kind: 'plain' })}</div>`,
  });
}

function refusalIn({ search, hash }: URL): { error: string; description: string | null } | undefined {
  const told = [new URLSearchParams(search), new URLSearchParams(hash.slice(1))].find((each) => each.has('error'));
  return told && { error: told.get('error') ?? '', description: told.get('error_description') };
}
