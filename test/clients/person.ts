import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const password = 'correct horse battery';

/** A page as a person sees it, and where it was. */
interface Shown {
  readonly url: URL;
  readonly text: string;
}

/** Someone with a browser, who signs in with a password and allows what a client asks for. */
export class Person {
  readonly #name: string;
  readonly #cookies = new Map<string, string>();
  /** The last page on which they were asked. */
  consent = '';

  constructor(name: string) {
    this.#name = name;
  }

  /** Where the client gets its answer. */
  async allow(asked: URL): Promise<URL> {
    let shown = await this.#open(asked, asked.origin);
    if (shown.url.pathname === '/sign-in/password' || shown.url.pathname === '/sign-in') {
      const form = await this.#open(passwordPage(shown.url), asked.origin);
      shown = await this.#send(form, { name: this.#name, password });
    }
    if (!shown.text.includes('name="decision"')) return shown.url;
    this.consent = shown.text;
    return (await this.#send(shown, { decision: 'allow' })).url;
  }

  /** Goes on to where pages lead, as long as that is the same server. */
  async #open(url: URL, origin: string, form?: URLSearchParams): Promise<Shown> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const init = { redirect: 'manual' as const, headers: { cookie, origin, accept: 'text/html' } };
    const response = await fetch(url, { ...init, ...(form && { method: 'POST', body: form }) });
    for (const each of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      this.#cookies.set(name, value);
    }
    const next = response.headers.get('location') ?? response.headers.get('refresh')?.replace(/^0;url=/, '');
    if (next === undefined) return { url, text: await response.text() };
    const target = new URL(next, url);
    return target.origin === origin ? this.#open(target, origin) : { url: target, text: '' };
  }

  async #send({ text, url }: Shown, fields: Record<string, string>): Promise<Shown> {
    const [form = '', action = ''] =
      [...text.matchAll(/<form method="post" action="([^"]+)"[^]*?<\/form>/g)].find(([all]) =>
        Object.keys(fields).every((name) => all.includes(`name="${name}"`)),
      ) ?? [];
    const inputs = [...form.matchAll(/<input[^>]*\bname="([^"]*)"[^>]*\bvalue="([^"]*)"/g)];
    const all = { ...Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, decoded(value)])), ...fields };
    return this.#open(new URL(decoded(action), url), url.origin, new URLSearchParams(all));
  }
}

const passwordPage = (page: URL): URL =>
  new URL(`/sign-in/password?${new URLSearchParams({ return: page.searchParams.get('return') ?? '/' })}`, page);

const decoded = (attribute: string): string => attribute.replaceAll('&amp;', '&').replaceAll('&quot;', '"');

export interface Desk extends AsyncDisposable {
  readonly url: string;
}

/** Where clients send the person: `?url=` is the page to open; the answer has what the client was to get, as JSON. */
export async function seat(person: Person): Promise<Desk> {
  const server = createServer(async (request, response) => {
    try {
      const asked = new URL(request.url ?? '', 'http://desk').searchParams.get('url') ?? '';
      const { searchParams } = await person.allow(new URL(asked));
      response.end(JSON.stringify(Object.fromEntries(searchParams)));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
