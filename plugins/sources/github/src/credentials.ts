import { sign } from 'node:crypto';
import type { GitHubApp } from './config.ts';

/** What a client signs in with. */
export interface Credential {
  token(signal: AbortSignal): Promise<string>;
  /** The host does not take the token any more. */
  forget(): void;
  /** What must stand in no message. */
  secrets(): readonly string[];
}

export const personalToken = (token: string): Credential => ({
  token: async () => token,
  forget: () => undefined,
  secrets: () => [token],
});

/** GitHub allows ten minutes, and its clock may be a little behind. */
const tokenSeconds = 540;
const behindSeconds = 60;

/** A GitHub App as itself (RS256, RFC 7519): to find its installations, and to get their tokens. */
export function appToken({ id, privateKey }: GitHubApp): Credential {
  return {
    async token() {
      const now = Math.floor(Date.now() / 1000);
      const claims = { iat: now - behindSeconds, exp: now + tokenSeconds, iss: id };
      const text = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`;
      return `${text}.${sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')}`;
    },
    forget: () => undefined,
    secrets: () => [privateKey],
  };
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export interface TokenOfInstallation {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Tokens of installations live an hour. */
const renewedBeforeMs = 300_000;

/** A token that is asked for when it is needed, and again before its end. */
export class RenewedToken implements Credential {
  readonly #ask: (signal: AbortSignal) => Promise<TokenOfInstallation>;
  #held: TokenOfInstallation | undefined;
  #asking: Promise<TokenOfInstallation> | undefined;

  constructor(ask: (signal: AbortSignal) => Promise<TokenOfInstallation>) {
    this.#ask = ask;
  }

  async token(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    if (this.#held && this.#held.expiresAt - renewedBeforeMs > Date.now()) return this.#held.token;
    this.#asking ??= this.#ask(signal).finally(() => (this.#asking = undefined));
    this.#held = await this.#asking;
    return this.#held.token;
  }

  forget(): void {
    this.#held = undefined;
  }

  secrets(): readonly string[] {
    return this.#held ? [this.#held.token] : [];
  }
}
