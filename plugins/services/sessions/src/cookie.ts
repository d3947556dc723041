import { randomBytes } from 'node:crypto';

/** 256 random bits. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/**
 * A cookie that only this server reads. On https its name has the prefix that binds it to exactly this host (RFC 6265bis
 * section 4.1.3.2); on http the port is in the name, because all servers of a machine share its cookies.
 */
export class Cookie {
  readonly #name: string;
  readonly #attributes: string;

  constructor(purpose: string, externalURL: string) {
    const { protocol, port } = new URL(externalURL);
    const isSecure = protocol === 'https:';
    this.#name = isSecure ? `__Host-sextant-${purpose}` : `sextant-${purpose}${port && `-${port}`}`;
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  }

  /** The secret in a request; undefined when there is none, or something that was never one. */
  read(headers: Headers): string | undefined {
    const pairs = (headers.get('cookie') ?? '').split(/; */);
    const found = pairs.find((pair) => pair.startsWith(`${this.#name}=`))?.slice(this.#name.length + 1);
    return found !== undefined && /^[\w-]{43}$/.test(found) ? found : undefined;
  }

  /** `Set-Cookie`; without an age it goes when the browser is closed. */
  set(value: string, maxAgeSeconds?: number): string {
    const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`;
    return `${this.#name}=${value}; ${this.#attributes}${age}`;
  }

  /** `Set-Cookie` that removes it. */
  remove(): string {
    return this.set('', 0);
  }
}
