import { token } from '@sextant/core';
import type { Caller } from '@sextant/core';

/** A way to sign in that the sign-in page offers: a link, or a form of its own that it shows. */
export interface SignInWay {
  /** Unique, kebab-case: `password`, `oidc`. */
  readonly name: string;
  /** What the link says: `Sign in with Acme`. */
  readonly title: string;
  /** Where it begins; gets `?return=` with the path to go back to. */
  readonly path: string;
}

export interface BrowserSession {
  readonly userId: number;
  /** RFC 3339, when the person last proved who they are. */
  readonly signedInAt: string;
  /** Bound to the session; every form that changes something carries it and `requireForm` checks it. */
  readonly csrfToken: string;
}

/** A session as administrators see it. */
export interface SeenSession {
  /** RFC 3339, when it began, and when a request was seen last: exact to a fiftieth of the time that it may be idle. */
  readonly signedInAt: string;
  readonly seenAt: string;
}

/** Sessions of people in a browser: a random id in a cookie (HttpOnly, SameSite=Lax, Secure on https), stored hashed. */
export interface Sessions {
  /** The ways that are loaded now, by title. */
  ways(): readonly SignInWay[];
  /** Offers a way to sign in; returns the function that withdraws it. */
  offer(way: SignInWay): () => void;
  /** The session of a request; undefined without one, with an ended one, or when its user is disabled. */
  find(headers: Headers): Promise<BrowserSession | undefined>;
  /** The caller behind a session, with rights as they are now. */
  callerOf(session: BrowserSession): Promise<Caller | undefined>;
  /** Begins a session (a new id, whatever the request carried) and returns the value of its `Set-Cookie`. */
  begin(userId: number, request: Request): Promise<string>;
  /** Ends the session of a request and returns the `Set-Cookie` that removes it. */
  end(headers: Headers): Promise<string>;
  /** The sessions of a user that have not ended, the one that was seen last first. */
  ofUser(userId: number): Promise<readonly SeenSession[]>;
  /** The sessions of all users that have not ended, the one that was seen last first. */
  list(): Promise<readonly (SeenSession & { readonly userId: number })[]>;
  /** Ends every session of a user: sign out everywhere, disabled, password changed. */
  endAll(userId: number): Promise<void>;
  /**
   * The fields of a form that a page of this server sent. Checks method, content type, size (64 KiB), origin and the
   * CSRF token in the field `csrf`. The token is that of the session, or of the sign-in cookie before there is a
   * session. Throws `forbidden`, `invalid_argument`.
   */
  readForm(request: Request): Promise<URLSearchParams>;
  /** The CSRF token for a form on a page that answers `request`, with a cookie to set where there is no session yet. */
  formToken(request: Request): Promise<{ csrfToken: string; setCookie?: string }>;
}

export const Sessions = token<Sessions>('sessions');
