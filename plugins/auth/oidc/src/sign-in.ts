import type { Audit, CounterLimit, Counters, Directory, DirectoryUser, Sessions } from '@sextant/contracts';
import { SextantError, messageOf, networkOf, token } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { Accounts } from './accounts.ts';
import { Attempts } from './attempt.ts';
import type { ProviderConfig } from './config.ts';
import type { LinkStore } from './link-store.ts';
import { callbackPath } from './paths.ts';
import { Provider } from './provider.ts';

/** Answers from one address in a minute that let nobody in: each costs requests to the provider, of which few run at a time. */
const failuresAMinute = 100;

export interface SignInOptions {
  counters: Counters;
  config: ProviderConfig;
  links: LinkStore;
  directory: Directory;
  sessions: Sessions;
  audit: Audit | undefined;
  externalURL: string;
  log: Logger;
}

/** Where a browser goes next, with the cookies that it keeps. */
export interface Step {
  readonly location: string;
  readonly cookies: readonly string[];
}

/** Signing in through the provider, from the button to the session. */
export class SignIn {
  readonly attempts: Attempts;
  readonly #options: SignInOptions;
  readonly #provider: Provider;
  readonly #accounts: Accounts;

  constructor(options: SignInOptions) {
    this.#options = options;
    this.attempts = new Attempts(options.externalURL);
    this.#provider = new Provider(options.config, options.externalURL + callbackPath);
    this.#accounts = new Accounts(options);
  }

  /** To the provider. Throws `unavailable`. */
  async begin({ wanted, asksAgain }: { wanted: string | null; asksAgain: boolean }): Promise<Step> {
    const { attempt, setCookie } = this.attempts.begin(wanted);
    const url = await this.#logged(() => this.#provider.authorizationUrl(attempt, asksAgain ? 'login' : undefined));
    return { location: url.href, cookies: [setCookie] };
  }

  /** Back from the provider. Throws `forbidden` with what a person should know, `unavailable`, and `exhausted`. */
  async finish(request: Request, address: string): Promise<Step> {
    const attempt = this.attempts.read(request.headers);
    const answer = new URL(request.url).searchParams;
    if (!attempt || answer.get('state') !== attempt.state)
      throw new SextantError(
        'forbidden',
        'This sign-in took too long, began in another browser or tab, or is over already. Start again.',
      );
    const limit = limitOf(address);
    try {
      await this.#requireRoom(limit);
      const identity = await this.#logged(() => this.#provider.identify(attempt, answer));
      const user = await this.#logged(() => this.#accounts.enter(identity, address));
      this.#record(address, { user, detail: `oidc ${identity.issuer} ${identity.subject}` });
      await this.#options.counters.giveBack([limit]);
      const session = await this.#options.sessions.begin(user.id, request);
      return { location: attempt.returnTo, cookies: [session, this.attempts.end()] };
    } catch (error) {
      this.#record(address, { detail: `oidc: ${messageOf(error)}` });
      throw error;
    }
  }

  async #requireRoom(limit: CounterLimit): Promise<void> {
    const wait = await this.#options.counters.take([limit]);
    if (wait !== undefined)
      throw new SextantError('exhausted', 'Too many sign-ins from here failed. Wait a minute and try again.', {
        retryAfterSeconds: wait,
      });
  }

  /** What a person is not told of a failure is for the operator. */
  async #logged<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      if (cause !== undefined)
        this.#options.log.warn({ err: cause }, `sign-in through the provider: ${messageOf(error)}`);
      throw error;
    }
  }

  #record(address: string, { user, detail }: { user?: DirectoryUser; detail: string }): void {
    this.#options.audit?.record({
      action: user ? 'sign-in.succeeded' : 'sign-in.failed',
      outcome: user ? 'success' : 'failure',
      ...(user && { actor: { id: user.id, name: user.name }, target: user.name }),
      address,
      detail,
    });
  }
}

const limitOf = (address: string): CounterLimit => ({
  key: `failures ${networkOf(address)}`,
  max: failuresAMinute,
  windowMs: 60_000,
});

/** Used inside this plugin only. Without a provider there is no way to sign in. */
export interface Oidc {
  readonly signIn: SignIn | undefined;
  readonly links: LinkStore;
  readonly issuer: string | undefined;
}

export const oidc = token<Oidc>('oidc');
