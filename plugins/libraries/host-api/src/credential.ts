/** What a client signs in with. */
export interface Credential {
  token(signal: AbortSignal): Promise<string>;
  /** The host does not take the token any more. */
  forget(): void;
  /** What must stand in no message. */
  secrets(): readonly string[];
}

export const fixedToken = (token: string): Credential => ({
  token: async () => token,
  forget: () => undefined,
  secrets: () => [token],
});

export interface TokenForATime {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

const renewedBeforeMs = 300_000;

/** A token that is asked for when it is needed, and again five minutes before its end. */
export class RenewedToken implements Credential {
  readonly #ask: (signal: AbortSignal) => Promise<TokenForATime>;
  #held: TokenForATime | undefined;
  #asking: Promise<TokenForATime> | undefined;

  constructor(ask: (signal: AbortSignal) => Promise<TokenForATime>) {
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
