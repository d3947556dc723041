import type { Links } from './links.ts';
import type { ResearchSource } from './researcher.ts';

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
