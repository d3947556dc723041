/** What a person's browser does at a server: keeps cookies, follows its redirects, sends forms. */
export class Person {
  readonly #origin: string;
  readonly #cookies = new Map<string, string>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** A page, or where the server sends the browser if that is elsewhere. */
  async open(address: string | URL, form?: Record<string, string>): Promise<{ url: URL; text: string }> {
    const url = new URL(address, this.#origin);
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      headers: {
        cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        accept: 'text/html',
        ...(form && { origin: this.#origin }),
      },
      ...(form && { body: new URLSearchParams(form) }),
      redirect: 'manual',
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    const text = await response.text();
    if (response.status >= 400) throw new Error(`${url.pathname} answers ${response.status}: ${text}`);
    const next = response.headers.get('location') ?? response.headers.get('refresh')?.replace(/^0;url=/, '');
    if (next === undefined) return { url, text };
    const target = new URL(next, url);
    return target.origin === this.#origin ? this.open(target) : { url: target, text };
  }

  /** Sends a form of a page that has one at the address, with what it hides and what is filled in. */
  async send(page: string | URL, filled: Record<string, string>, action?: string): Promise<{ url: URL; text: string }> {
    const { url, text } = await this.open(page);
    const forms = [...text.matchAll(/<form[^>]*\bmethod="post"[^>]*>[\s\S]*?<\/form>/g)].map(([form]) => form);
    const addressOf = (form: string): string => /\baction="([^"]+)"/.exec(form)?.[1] ?? url.href;
    const form = forms.find((each) => action === undefined || addressOf(each) === action);
    if (form === undefined) throw new Error(`${url.pathname} has no form for ${action ?? 'anything'}:\n${text}`);
    const inputs = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
    const hidden = Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]));
    return this.open(new URL(addressOf(form), url), { ...hidden, ...filled });
  }
}
