import { token } from '@sextant/core';
import type { RepositoryAccess } from '../code/repository-access.ts';
import type { RepositoryInfo } from '../code/repositories.ts';

/** A served repository with who may read it: what a host must know to answer without a node. */
export interface CatalogueEntry {
  readonly info: RepositoryInfo;
  /** What the configuration says of who may read it; absent: every signed-in user. */
  readonly access?: RepositoryAccess;
  /** Key of the `HostedRepository`, which says who may read it in place of `access`. */
  readonly hostedKey?: string;
  /** Names that it had on its code host before. */
  readonly formerNames: readonly string[];
  /** Names and globs of the branches that are indexed besides the default branch. */
  readonly branches: readonly string[];
  /** Why it cannot be opened now; absent: it can. */
  readonly absent?: { readonly message: string; readonly retryAfterSeconds?: number };
}

/** All served repositories, whoever may read them. */
export interface Catalogue {
  /** In the order of their names (by code unit). */
  entries(): readonly CatalogueEntry[];
  has(repository: string): boolean;
  /** Names of the repositories whose clones stand here though other nodes own them. */
  left(): readonly string[];
  /** Removes clones that are left, of repositories that all owners have, after `Placement.graceSeconds`. Answers how many. */
  removeLeft(held: readonly string[]): Promise<number>;
}

export const Catalogue = token<Catalogue>('catalogue', { isForServices: true });

/** Which repositories this server has. Where no plugin provides it, it has all of the configuration. */
export interface Placement {
  owns(repository: string): boolean;
  /** Whether not all owners have their copies yet: until then nothing is dropped that another owns now. */
  readonly isMoving: boolean;
  /** Seconds for which a clone stays after others own its repository and have it. */
  readonly graceSeconds: number;
  /** Calls back when the answers above may be others; resolves when they are followed. */
  onChange(listener: () => Promise<void>): () => void;
}

export const Placement = token<Placement>('placement', { isForServices: true });
