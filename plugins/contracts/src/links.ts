import { token } from '@sextant/core';

/** A file, folder or repository that a link opens. */
export interface LinkTarget {
  readonly repo: string;
  /** From the root; empty for the repository. */
  readonly path: string;
  /** As asked for; absent: the default branch. */
  readonly revision?: string;
  /** From 1; both or none. */
  readonly startLine?: number;
  readonly endLine?: number;
}

/** Addresses of this server's pages, in every answer that shows code. */
export interface Links {
  /** `<externalURL>/<repo>[@rev]/-/blob/<path>?L3-9`; of an empty path the repository's own page. */
  file(target: LinkTarget): string;
  /** `<externalURL>/<repo>/-/commit/<hash>`. */
  commit(repo: string, hash: string): string;
}

export const Links = token<Links>('links');
