import { point } from '@sextant/core';
import type { Logger } from '@sextant/core';
import type { z } from 'zod';
import type { SignInIdentity } from '../people/identities.ts';

/** `public`: everyone, without signing in to the host. `internal`: every account of the host. `private`: whom a list names. */
export const visibilities = ['public', 'internal', 'private'] as const;
export type Visibility = (typeof visibilities)[number];

/** A repository as a code host describes it. All of it is text that strangers wrote. */
export interface HostRepository {
  /** The host's own. It stays when the repository is renamed, and is never given to another. */
  readonly id: string;
  /** As the host writes it in addresses: `acme/shop`. */
  readonly path: string;
  /** Without a login. */
  readonly cloneURL: string;
  /** The same over ssh, as the host tells it: `ssh://user@host:port/path` or `user@host:path`. Absent where it tells none. */
  readonly sshURL?: string;
  readonly description: string;
  /** Empty where there is none yet. */
  readonly defaultBranch: string;
  readonly visibility: Visibility;
  readonly isArchived: boolean;
  readonly isFork: boolean;
  /** Whether nothing was pushed to it yet. */
  readonly isEmpty: boolean;
  readonly topics: readonly string[];
  /** Absent where the host has none. */
  readonly stars?: number;
  /** RFC 3339 in UTC of the last push, or of what the host tells nearest to it; absent where it tells nothing of the kind. */
  readonly pushed?: string;
  /** RFC 3339 in UTC; another text after each push. */
  readonly changed: string;
}

/** Who says who may read the repositories of a source: the operator (`none`), or the host (`sync`). */
export const sourcePermissions = ['none', 'sync'] as const;
export type SourcePermissions = (typeof sourcePermissions)[number];

export interface HostAccount {
  /** The host's own, never given to another. */
  readonly id: string;
  readonly login: string;
}

/** What an account of the host may read. */
export interface ReadableRepositories {
  /** It reads every repository of these kinds. */
  readonly whole: readonly Visibility[];
  /** Host ids of the other repositories that it reads. */
  readonly ids: readonly string[];
  /** Milliseconds since 1970 at which the oldest part of this was told; absent: now. */
  readonly asOf?: number;
}

/** What a token is good for. */
export interface SourceCheck {
  /** Login of the account that the token belongs to. */
  readonly account: string;
  /** What this source cannot do with it, and what to do about that; empty: all that is configured. */
  readonly problems: readonly string[];
}

/** What a message of the host says. */
export type HostEvent =
  | { readonly kind: 'pushed'; readonly repositoryId: string }
  /** Repositories came, went or were renamed. */
  | { readonly kind: 'repositories' }
  /** Somebody may read more or less than before. */
  | { readonly kind: 'access' }
  | { readonly kind: 'other' };

export interface HostMessage {
  readonly headers: Headers;
  readonly body: Uint8Array;
}

export interface GitLogin {
  readonly username: string;
  readonly password: string;
}

/**
 * A code host as a source of repositories. Every method that asks the host throws `unauthenticated` or `forbidden` for a
 * token that is not good enough, `exhausted` with `retryAfterSeconds` at a limit of the host, and `unavailable`. No
 * message has a secret in it. All stop when `signal` aborts.
 */
export interface RepositorySource {
  /** What names of its repositories begin with: `git.example.com`. */
  readonly host: string;
  /** Origins (`https://git.example.com`) that clone URLs may have; the login is sent only to the first. */
  readonly cloneOrigins: readonly string[];
  /** Hosts (`git.example.com`, in lower case) that ssh URLs may have. Absent: it tells no ssh URLs. */
  readonly sshHosts?: readonly string[];
  /** Asks the host who the token belongs to, and what it may do. */
  check(signal: AbortSignal): Promise<SourceCheck>;
  /**
   * All repositories that the configuration asks for, in pages. Throws `unavailable` where some may be missing, such as when
   * one was deleted while they were listed. Waits where the host limits requests.
   */
  list(signal: AbortSignal): AsyncIterable<readonly HostRepository[]>;
  /**
   * Those that changed at or after a moment (RFC 3339); it may give more. Throws `conflict` where that does not tell all that
   * is different, such as who may read one: then `list` must be asked.
   */
  listChanged(since: string, signal: AbortSignal): AsyncIterable<readonly HostRepository[]>;
  /** How git signs in to clone a repository; undefined: without a login. */
  login(repository: HostRepository, signal: AbortSignal): Promise<GitLogin | undefined>;
  /** The account of someone who signed in; undefined where there is none, or it may not sign in any more. */
  account(identity: SignInIdentity, signal: AbortSignal): Promise<HostAccount | undefined>;
  /** The account that has verified an e-mail address as its own. */
  accountOfEmail(email: string, signal: AbortSignal): Promise<HostAccount | undefined>;
  /** What an account may read now. Throws at a limit of the host instead of waiting. */
  readable(account: HostAccount, signal: AbortSignal): Promise<ReadableRepositories>;
  /**
   * What a message says; undefined unless it is proven that the host sent it. What the source remembers of the host and the
   * message makes old is asked for again before it is used.
   */
  readMessage(message: HostMessage): HostEvent | undefined;
}

/** A kind of code host, as the configuration names it in `sources`. */
export interface SourceType {
  /** In lower case: `gitea`. */
  readonly type: string;
  /** Its keys beside those that every source has. */
  readonly config: z.ZodObject;
  open(config: unknown, context: SourceContext): RepositorySource;
}

export interface SourceContext {
  readonly log: Logger;
  /** `sync`: it will be asked what accounts may read. */
  readonly permissions: SourcePermissions;
  /** To be called when requests wait for more than ten seconds, as the host limits them: operators are told. */
  readonly onWait?: ((seconds: number) => void) | undefined;
}

export interface SourceTypeDefinition<C extends z.ZodObject> {
  type: string;
  config: C;
  open(config: z.output<C>, context: SourceContext): RepositorySource;
}

/** Declares a kind of code host. */
export const defineSourceType = <C extends z.ZodObject>(definition: SourceTypeDefinition<C>): SourceType =>
  // The one place where the type of its configuration is erased.
  definition as unknown as SourceType;

/** To which plugins contribute the kinds of code hosts that `sources` may name. */
export const SourceTypes = point<SourceType>('source-types');
