import type { BrowserSession, Directory, SeenSession, Sessions, SignInWay } from '@sextant/contracts';
import type { Caller } from '@sextant/core';
import { csrfField } from '@sextant/library-ui';
import { Cookie, newSecret } from './cookie.ts';
import { csrfTokenOf } from './csrf-token.ts';
import { readFields, requireOwnForm, requireToken } from './form.ts';
import type { SessionLifetime, SessionStore } from './session-store.ts';

export interface BrowserSessionsOptions {
  store: SessionStore;
  directory: Directory;
  externalURL: string;
  lifetime: SessionLifetime;
}

/** Who is signed in with which browser. */
export class BrowserSessions implements Sessions {
  readonly #store: SessionStore;
  readonly #directory: Directory;
  readonly #externalURL: string;
  readonly #maxAgeSeconds: number;
  readonly #cookie: Cookie;
  /** Binds a form to a browser before there is a session. */
  readonly #formCookie: Cookie;
  readonly #ways = new Set<SignInWay>();

  constructor({ store, directory, externalURL, lifetime }: BrowserSessionsOptions) {
    this.#store = store;
    this.#directory = directory;
    this.#externalURL = externalURL;
    this.#maxAgeSeconds = Math.floor(lifetime.absoluteMs / 1000);
    this.#cookie = new Cookie('session', externalURL);
    this.#formCookie = new Cookie('form', externalURL);
  }

  ways(): readonly SignInWay[] {
    return [...this.#ways].toSorted((a, b) => a.title.localeCompare(b.title, 'en'));
  }

  offer(way: SignInWay): () => void {
    this.#ways.add(way);
    return () => void this.#ways.delete(way);
  }

  async find(headers: Headers): Promise<BrowserSession | undefined> {
    const secret = this.#cookie.read(headers);
    const stored = secret === undefined ? undefined : await this.#store.find(secret);
    if (secret === undefined || !stored || !(await this.#callerFor(stored.userId))) return undefined;
    const { userId, signedInAt } = stored;
    return { userId, signedInAt: new Date(signedInAt).toISOString(), csrfToken: csrfTokenOf(secret) };
  }

  callerOf({ userId }: BrowserSession): Promise<Caller | undefined> {
    return this.#callerFor(userId);
  }

  async begin(userId: number, request: Request): Promise<string> {
    // What was there before may have been put there by someone else (session fixation).
    await this.end(request.headers);
    const secret = newSecret();
    await this.#store.add(secret, userId);
    return this.#cookie.set(secret, this.#maxAgeSeconds);
  }

  async end(headers: Headers): Promise<string> {
    const secret = this.#cookie.read(headers);
    if (secret !== undefined) await this.#store.remove(secret);
    return this.#cookie.remove();
  }

  async ofUser(userId: number): Promise<SeenSession[]> {
    return (await this.#store.list(userId)).map(toSeen);
  }

  async list(): Promise<(SeenSession & { userId: number })[]> {
    return (await this.#store.list()).map((stored) => ({ userId: stored.userId, ...toSeen(stored) }));
  }

  endAll(userId: number): Promise<void> {
    return this.#store.removeAll(userId);
  }

  async readForm(request: Request): Promise<URLSearchParams> {
    requireOwnForm(request, this.#externalURL);
    const fields = await readFields(request);
    const session = await this.find(request.headers);
    const cookie = session ? this.#cookie : this.#formCookie;
    requireToken(fields.get(csrfField), cookie.read(request.headers));
    return fields;
  }

  async formToken({ headers }: Request): Promise<{ csrfToken: string; setCookie?: string }> {
    const session = await this.find(headers);
    if (session) return { csrfToken: session.csrfToken };
    const known = this.#formCookie.read(headers);
    if (known !== undefined) return { csrfToken: csrfTokenOf(known) };
    const secret = newSecret();
    return { csrfToken: csrfTokenOf(secret), setCookie: this.#formCookie.set(secret) };
  }

  #callerFor(userId: number): Promise<Caller | undefined> {
    return this.#directory.callerFor({ userId, scopes: ['all'], credential: `session:${userId}` });
  }
}

const toSeen = ({ signedInAt, seenAt }: { signedInAt: number; seenAt: number }): SeenSession => ({
  signedInAt: new Date(signedInAt).toISOString(),
  seenAt: new Date(seenAt).toISOString(),
});
