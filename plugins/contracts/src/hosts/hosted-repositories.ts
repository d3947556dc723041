import { token } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { AskedLogin } from './credential-helper.ts';
import type { GitLogin, Visibility } from './repository-source.ts';
import type { SSHLogin } from './ssh-login.ts';

/** A repository of a code host that is to be served. */
export interface HostedRepository {
  /** Unique among all hosts; stays when it is renamed. */
  readonly key: string;
  /** `<host>/<path>`. */
  readonly name: string;
  /** Names that it had before. */
  readonly formerNames: readonly string[];
  /** Without a password; of ssh where the configuration says so. */
  readonly cloneURL: string;
  readonly description: string;
  readonly visibility: Visibility;
  readonly isArchived: boolean;
  readonly isFork: boolean;
  readonly topics: readonly string[];
  /** Absent where the host does not tell. */
  readonly stars?: number;
  /** The last push that the host tells of, RFC 3339 in UTC. */
  readonly pushed?: string;
  /** Whether some signed-in users may not read it. */
  readonly isPrivate: boolean;
  /** Names and globs of the branches to index besides the default branch. */
  readonly branches: readonly string[];
  /** Commits of each branch and tag that are cloned; absent: all. */
  readonly depth?: number;
  /** Another text after each push. */
  readonly changed: string;
}

/** The repositories that `sources` of the configuration give, and who may read them. */
export interface HostedRepositories {
  /** All that are to be served now, in the order of their names. */
  all(): readonly HostedRepository[];
  /** Calls `listener` after repositories came, went or changed. Returns the function that stops it. */
  onChange(listener: () => void): () => void;
  /** How git signs in to clone; undefined: without a login. Throws as `RepositorySource`. */
  login(key: string, signal: AbortSignal): Promise<GitLogin | AskedLogin | undefined>;
  /** How git signs in where it clones over ssh; undefined: it clones otherwise. */
  sshLogin(key: string): SSHLogin | undefined;
  /**
   * Decides for one caller. Where the list of the host is older than the operator allows, it is asked for first; that takes
   * at most a few seconds, and without a list of today only public repositories can be read.
   */
  readerFor(caller: Caller): Promise<HostedReader>;
}

export interface HostedReader {
  canRead(repository: HostedRepository): boolean;
  /** Why a caller may read a repository or not, for administrators. */
  explain(repository: HostedRepository): string;
}

export const HostedRepositories = token<HostedRepositories>('hosted-repositories', { isForServices: true });
