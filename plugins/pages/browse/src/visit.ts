import { filterPattern } from '@sextant/contracts';
import type {
  History,
  Links,
  PageFrame,
  Repositories,
  Repository,
  Search,
  Sessions,
  Symbols,
} from '@sextant/contracts';
import { SextantError, isSextantError } from '@sextant/core';
import type { Call } from '@sextant/core';
import { encodePath, readingsOf } from './address.ts';
import type { Address, View } from './address.ts';
import type { Highlighter } from './highlight/highlighter.ts';

/** What the pages are made from. */
export interface Services {
  readonly repositories: Repositories;
  readonly links: Links;
  readonly history: History | undefined;
  readonly search: Search | undefined;
  readonly symbols: Symbols | undefined;
  readonly sessions: Sessions | undefined;
  readonly highlighter: Highlighter;
}

/** Someone who looks at a repository, at one revision. */
export interface Visit {
  readonly services: Services;
  readonly call: Call;
  readonly frame: PageFrame;
  readonly query: URLSearchParams;
  /** Query as it stands: lines are marked by `?L3-9`. */
  readonly search: string;
  readonly headers: Headers;
  readonly repository: Repository;
  readonly address: Address;
}

/** The repository that an address names, and how the address was read. Throws `not_found`, the same for a hidden one. */
export async function open(
  pathname: string,
  { repositories }: Services,
  { caller }: Call,
): Promise<{ repository: Repository; address: Address }> {
  let refusal: unknown;
  for (const address of readingsOf(pathname))
    try {
      return { repository: await repositories.open(caller, address.repo), address };
    } catch (error) {
      if (!isSextantError(error) || error.code !== 'not_found') throw error;
      refusal ??= error;
    }
  throw refusal ?? new SextantError('not_found', 'not found');
}

export interface LinkedPath {
  /** What follows the view: mostly the path of a file. */
  readonly path: string;
  /** Empty: the default branch. Absent: as the visitor asked. */
  readonly revision?: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** A link to a view of the visited repository. */
export function linkTo({ services, address }: Visit, view: View, target: string | LinkedPath): string {
  const {
    path,
    query,
    revision = address.revision ?? '',
  }: LinkedPath = typeof target === 'string' ? { path: target } : target;
  const repository = { repo: address.repo, path: '', ...(revision !== '' && { revision }) };
  const start = new URL(services.links.file(repository)).pathname;
  return `${start}/-/${view}/${encodePath(path)}${query ? `?${new URLSearchParams(query)}` : ''}`;
}

/** The commit that the visitor asked for, by its full hash. */
export const commitOf = ({ repository, address, call }: Visit): Promise<string> =>
  repository.resolve(address.revision, call.signal);

/** A link to lines of a file, as answers have them. */
export function linesQuery(start: number, end = start): string {
  return `?L${start}${end === start ? '' : `-${end}`}`;
}

/** The lines that `?L3-9` names; undefined where none are named. */
export function markedLines(search: string): readonly [number, number] | undefined {
  const [, first, last = first] = /[?&]L(\d{1,9})(?:-L?(\d{1,9}))?(?:&|=|$)/.exec(search) ?? [];
  if (first === undefined) return undefined;
  const [a, b] = [Number(first), Number(last)];
  return a === 0 || b === 0 ? undefined : [Math.min(a, b), Math.max(a, b)];
}

/** A path and what lies in it for `History`, also where it has characters that mean something in a glob. */
export function pathGlobs(path: string): string[] {
  const name = path.replace(/\/+$/, '');
  const glob = name.replaceAll(/[*?[\\]/g, String.raw`\$&`);
  return name === '' ? [] : glob === name ? [name] : [glob, `${glob}/*`];
}

/** The result of work that a page waits so long for; undefined where it takes longer. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, milliseconds, undefined).unref());
  return Promise.race([work, late]);
}

/** The filter of a search that means this repository alone. */
export const repoFilter = (repo: string): string => `repo:^${filterPattern(repo)}$`;
