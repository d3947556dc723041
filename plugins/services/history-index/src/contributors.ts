import { hashesIn, readPatches, rfc3339 } from '@sextant/contracts';
import type {
  CommitRecord,
  Contribution,
  ContributorRequest,
  ContributorResult,
  GitStore,
  LeftOutRepository,
  StoredRepository,
} from '@sextant/contracts';
import { mapConcurrently } from '@sextant/library-workers';
import { LRUCache } from 'lru-cache';
import { named } from './answer.ts';
import type { HistoryIndex } from './history-index.ts';
import type { TimeLimit } from './match/time-limit.ts';
import type { HistoryPatterns } from './request/patterns.ts';
import { leftOutNotes } from './search-failures.ts';
import type { SearchFailures } from './search-failures.ts';
import { ContributorCounts } from './loaded/contributor-counts.ts';
import type { Contributor } from './loaded/contributor-counts.ts';

/** Contributors that are cached, of all repositories together. */
const mostCached = 500_000;
const atOnce = 2;

interface Known {
  readonly head: string;
  /** Where the history was cut: a deeper one has the same head. */
  readonly shallow: string;
  readonly contributors: readonly Contributor[];
}

interface ContributorsParts {
  readonly store: GitStore;
  readonly patterns: HistoryPatterns;
  readonly index: HistoryIndex;
  readonly failures: SearchFailures;
}

interface Looking {
  readonly isWanted: (text: string) => boolean;
  readonly limit: TimeLimit;
  /** Not read in time. */
  readonly late: string[];
  readonly leftOut: LeftOutRepository[];
  /** Shallow clones. */
  readonly cut: string[];
}

/** Who contributed to which repository. A repository is read again when its default branch has moved, or its history begins elsewhere. */
export class Contributors {
  readonly #parts: ContributorsParts;
  readonly #known = new LRUCache<string, Known>({
    maxSize: mostCached,
    sizeCalculation: ({ contributors }) => contributors.length + 1,
  });

  constructor(parts: ContributorsParts) {
    this.#parts = parts;
  }

  forget(): void {
    this.#known.clear();
  }

  /** `names`: the repositories that the caller may read. */
  async find(
    request: ContributorRequest,
    { names, limit }: { names: readonly string[]; limit: TimeLimit },
  ): Promise<ContributorResult> {
    const list = { patterns: request.authors, argument: 'authors', isRegex: false, foldCase: true };
    const matcher = this.#parts.patterns.anyOf(list);
    const isWanted = (text: string): boolean => matcher?.test(text) ?? false;
    const looking: Looking = { isWanted, limit, late: [], leftOut: [], cut: [] };
    try {
      const found = await mapConcurrently(names, atOnce, (name) => this.#contribution(name, looking));
      const contributions = found.flat().filter(({ commits }) => commits >= request.minCommits);
      const { late, leftOut, cut } = looking;
      const notes = [...leftOutNotes(leftOut, names.length - leftOut.length), ...lateNotes(late)];
      return {
        contributions: contributions.toSorted(mostFirst).slice(0, request.limit),
        isLimited: contributions.length > request.limit || notes.length > 0,
        notes: [...notes, ...cutNotes(cut)],
      };
    } finally {
      matcher?.release();
    }
  }

  /** None where the people that are looked for did nothing. */
  async #contribution(name: string, { isWanted, limit, late, leftOut, cut }: Looking): Promise<Contribution[]> {
    const { store, failures } = this.#parts;
    try {
      const repository = await store.find(name);
      if (!repository) {
        leftOut.push({ repo: name, reason: (await store.whyAbsent(name)).message });
        return [];
      }
      // First: what changes meanwhile is then read again at the next call.
      const shallow = await repository.shallow(limit.signal);
      const contributors = await this.#contributors(repository, shallow, limit.signal);
      failures.succeeded(name);
      if (shallow !== '') cut.push(name);
      const theirs = contributors.filter(({ written, mapped }) => isWanted(written) || isWanted(mapped));
      if (theirs.length === 0) return [];
      const commits = theirs.reduce((sum, each) => sum + each.commits, 0);
      return [{ repo: name, commits, latest: rfc3339(Math.max(...theirs.map((each) => each.latest))) }];
    } catch (error) {
      limit.throwIfLeft();
      if (limit.isOver) late.push(name);
      else leftOut.push(failures.failed(name, error));
      return [];
    }
  }

  /** From the index; from git while not all of the history is indexed. */
  async #contributors(
    repository: StoredRepository,
    shallow: string,
    signal: AbortSignal,
  ): Promise<readonly Contributor[]> {
    const { name } = repository;
    const head = await repository.head(signal);
    if (head === undefined) return [];
    const known = this.#known.get(name);
    if (known?.head === head && known.shallow === shallow) return known.contributors;
    const indexed = await this.#parts.index.contributors(repository, head, signal);
    const contributors = indexed ?? (await contributorsByGit(repository, head, signal));
    this.#known.set(name, { head, shallow, contributors });
    return contributors;
  }
}

async function contributorsByGit(
  repository: StoredRepository,
  head: string,
  signal: AbortSignal,
): Promise<Contributor[]> {
  const contributors = new ContributorCounts();
  const commit = ({ author, mapped, time }: CommitRecord): void => contributors.add(author, time, () => mapped);
  const commits = hashesIn(await repository.graph({ include: [head], withoutMerges: true }, { signal }));
  await readPatches(repository.patches({ commits }, { wants: 'commits', signal }), { commit });
  return contributors.all;
}

const mostNamed = 20;

const lateNotes = (names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`Not read in time: ${names.slice(0, mostNamed).join(', ')}; ask again.`];

const cutNotes = (names: readonly string[]): string[] =>
  names.length === 0
    ? []
    : [
        `Only the later part of the history is on the server (shallow clones), and older commits are not counted: ${named(names.toSorted(), mostNamed)}.`,
      ];

const mostFirst = (a: Contribution, b: Contribution): number =>
  b.commits - a.commits || (a.repo < b.repo ? -1 : Number(a.repo > b.repo));
