/** Keeps cookies of each host, and follows nothing by itself. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Opens a page; with fields it sends a form. */
  async open(url: string, fields?: Readonly<Record<string, string>>): Promise<Response> {
    const { host } = new URL(url);
    const cookies = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, cookies);
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
    });
    for (const each of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      cookies.set(name, value);
    }
    return response;
  }
}
