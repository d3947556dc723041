import type { StartedOAuth } from './start-oauth.ts';
import { origin } from './start-oauth.ts';

/** A page as a person sees it. */
export interface Shown {
  readonly response: Response;
  readonly text: string;
  readonly url: URL;
}

/** What a person's browser does: keeps cookies, follows redirects on this server, sends forms. */
export class Browser {
  readonly #server: StartedOAuth;
  readonly #cookies = new Map<string, string>();

  constructor(server: StartedOAuth) {
    this.#server = server;
  }

  async signIn(name: string): Promise<void> {
    const user = await this.#server.directory.find(name);
    if (!user) throw new Error(`there is no ${name}`);
    this.#keep([await this.#server.sessions.begin(user.id, new Request(origin))]);
  }

  /** Goes to a page, and on to where it sends the browser, as long as that is this server. */
  async open(address: string | URL, form?: Record<string, string>): Promise<Shown> {
    const url = new URL(address, origin);
    const response = await this.#server.fetch(url, {
      method: form ? 'POST' : 'GET',
      headers: { cookie: this.#cookieFor(), accept: 'text/html', ...(form && urlencoded) },
      ...(form && { body: new URLSearchParams(form).toString() }),
      redirect: 'manual',
    });
    this.#keep(response.headers.getSetCookie());
    const next = response.headers.get('location') ?? response.headers.get('refresh')?.replace(/^0;url=/, '');
    const target = next === undefined ? undefined : new URL(next, url);
    if (target?.origin === origin && target.pathname !== '/sign-in') return this.open(target);
    return { response, text: await response.text(), url: target ?? url };
  }

  /** Sends the form of a page with the button of that value. */
  send({ text, url }: Shown, button: Record<string, string>): Promise<Shown> {
    const [, action] = /<form method="post" action="([^"]+)" class="(?:card )?stack"/.exec(text) ?? [];
    const inputs = [...text.matchAll(/<input[^>]*\bname="([^"]*)"[^>]*\bvalue="([^"]*)"/g)];
    const fields = Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value]));
    return this.open(new URL(action ?? '', url), { ...fields, ...button });
  }

  #keep(cookies: readonly string[]): void {
    for (const cookie of cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }

  #cookieFor(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}

const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };
