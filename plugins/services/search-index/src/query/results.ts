import { SextantError } from '@sextant/core';
import type { FoundFile, SearchRequest, SearchResult } from '@sextant/contracts';
import { simplify } from '@sextant/library-query';
import type { Options, ParsedQuery, Query } from '@sextant/library-query';
import { charactersIn } from '../threads/shown-file.ts';
import type { FoundLines, JobLimits, JobResult } from '../threads/protocol.ts';

/** What was searched as one target. */
export interface Searched {
  readonly repo: string;
  readonly commit: string;
  readonly revision: string | undefined;
}

interface Merging {
  /** By the number of the target. */
  readonly searched: readonly Searched[];
  readonly limits: JobLimits;
  readonly notes: readonly string[];
  readonly options: Options;
}

interface Merged {
  readonly score: number;
  readonly lines: FoundLines;
  readonly file: FoundFile;
}

/** The best of all views, in an order that does not depend on which thread was first. */
export function mergeFiles(results: readonly JobResult[], { searched, limits, notes, options }: Merging): SearchResult {
  const all = results.flatMap(({ files }) => files).flatMap((lines) => found(lines, searched[lines.target]));
  all.sort((a, b) => b.score - a.score || a.lines.target - b.lines.target || a.lines.file - b.lines.file);
  const files = all.map(({ file }) => file);
  const isCut = results.some(({ files, fileCount }) => fileCount > files.length);
  const counts = {
    matchCount: results.reduce((sum, { matchCount }) => sum + matchCount, 0),
    fileCount: results.reduce((sum, { fileCount }) => sum + fileCount, 0),
  };
  if (options.select === 'repo') return onlyRepositories(files, { isCut, notes, limits });
  const shown = bounded(files.slice(0, limits.files), limits.characters);
  const type = options.types.includes('path') || options.select === 'file' ? 'path' : 'file';
  return { type, files: shown, ...counts, limitHit: shown.length < counts.fileCount, notes };
}

function found(lines: FoundLines, searched: Searched | undefined): Merged[] {
  if (!searched) return [];
  const { repo, commit, revision } = searched;
  const { path, chunks, matches, matchCount, score } = lines;
  return [
    {
      score,
      lines,
      file: { repo, path, commit, ...(revision !== undefined && { revision }), chunks, matches, matchCount },
    },
  ];
}

/** As many files as have so many characters. */
function bounded(files: readonly FoundFile[], characters: number): FoundFile[] {
  let left = characters;
  return files.filter((file) => {
    left -= charactersIn(file);
    return left > 0;
  });
}

function onlyRepositories(
  files: readonly FoundFile[],
  { isCut, notes, limits }: { isCut: boolean; notes: readonly string[]; limits: JobLimits },
): SearchResult {
  const names = [...new Map(files.map((file) => [`${file.repo}@${file.revision ?? ''}`, file])).values()];
  const repositories = names.map((file): FoundFile => ({ ...file, path: '', chunks: [], matches: [], matchCount: 0 }));
  const shown = repositories.slice(0, limits.files);
  const limitHit = isCut || shown.length < repositories.length;
  return {
    type: 'repo',
    files: shown,
    matchCount: repositories.length,
    fileCount: repositories.length,
    limitHit,
    notes,
  };
}

/** `type:repo`: repositories whose name has the words. */
export function findRepositories(
  reduced: ReadonlyMap<string, Query>,
  { options: { count } }: ParsedQuery,
  { request, notes }: { request: SearchRequest; notes: readonly string[] },
): SearchResult {
  const matching = [...reduced].filter(([name, query]) => isNameMatching(query, name)).map(([name]) => name);
  const most = count === 'all' ? matching.length : (count ?? request.limits.files);
  const files = matching
    .slice(0, most)
    .map((repo): FoundFile => ({ repo, path: '', commit: '', chunks: [], matches: [], matchCount: 0 }));
  const total = matching.length;
  return { type: 'repo', files, matchCount: total, fileCount: total, limitHit: files.length < total, notes };
}

function isNameMatching(query: Query, name: string): boolean {
  const walk = (node: Query): Query => {
    switch (node.kind) {
      case 'and':
      case 'or':
        return { kind: node.kind, children: node.children.map(walk) };
      case 'not':
        return { kind: 'not', child: walk(node.child) };
      case 'literal':
        return { kind: hasText(name, node.text, node.isCaseSensitive) ? 'all' : 'none' };
      case 'rev':
        return { kind: 'all' };
      case 'all':
      case 'none':
        return node;
      default:
        throw new SextantError(
          'invalid_argument',
          `type:repo looks at names only: words, repo:, fork: and archived: are allowed with it, not ${node.kind}`,
        );
    }
  };
  return simplify(walk(query)).kind === 'all';
}

const hasText = (name: string, text: string, isCaseSensitive: boolean): boolean =>
  isCaseSensitive ? name.includes(text) : name.toLowerCase().includes(text.toLowerCase());
