import { createHmac, randomBytes } from 'node:crypto';
import { returnPath } from '@sextant/contracts';

const lifetimeSeconds = 600;

/** What a sign-in sends to the provider and expects back. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** Path of this server to go on to. */
  readonly returnTo: string;
}

/**
 * The sign-ins that browsers have begun. A browser keeps its own, in a cookie of ten minutes, and everything that is
 * secret about it follows from that cookie: nothing is stored here, so nobody can fill it up.
 */
export class Attempts {
  readonly #name: string;
  readonly #attributes: string;

  constructor(externalURL: string) {
    const { protocol, port } = new URL(externalURL);
    const isSecure = protocol === 'https:';
    this.#name = isSecure ? '__Host-sextant-oidc' : `sextant-oidc${port && `-${port}`}`;
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  }

  begin(wanted: string | null): { attempt: Attempt; setCookie: string } {
    const secret = randomBytes(32).toString('base64url');
    const returnTo = returnPath(wanted);
    const value = `${secret}.${Buffer.from(returnTo).toString('base64url')}`;
    return {
      attempt: attemptOf(secret, returnTo),
      setCookie: `${this.#name}=${value}; ${this.#attributes}; Max-Age=${lifetimeSeconds}`,
    };
  }

  /** The attempt that this browser began; undefined when there is none, or it took too long. */
  read(headers: Headers): Attempt | undefined {
    const pairs = (headers.get('cookie') ?? '').split(/; */);
    const value = pairs.find((pair) => pair.startsWith(`${this.#name}=`))?.slice(this.#name.length + 1);
    const [, secret, path = ''] = /^([\w-]{43})\.([\w-]{0,3000})$/.exec(value ?? '') ?? [];
    if (secret === undefined) return undefined;
    return attemptOf(secret, returnPath(Buffer.from(path, 'base64url').toString()));
  }

  /** `Set-Cookie` that removes it. */
  end(): string {
    return `${this.#name}=; ${this.#attributes}; Max-Age=0`;
  }
}

function attemptOf(secret: string, returnTo: string): Attempt {
  const derive = (purpose: string): string => createHmac('sha256', secret).update(purpose).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), codeVerifier: derive('code verifier'), returnTo };
}
