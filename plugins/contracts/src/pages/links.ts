import { token } from '@sextant/core';
import type { ResearchSource } from '../code/research/researcher.ts';

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

/** A source as answers show it: the lines of one commit, and the page that opens them. */
export const linkedSource = (
  { repo, path, commit, startLine, endLine }: ResearchSource,
  links: Links,
): { repo: string; path: string; commit: string; startLine: number; endLine: number; url: string } => ({
  repo,
  path,
  commit,
  startLine,
  endLine,
  url: links.file({ repo, path, revision: commit, startLine, endLine }),
});
