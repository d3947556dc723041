import { rfc3339 } from '@sextant/contracts';
import type {
  Contribution,
  ContributorRequest,
  ContributorResult,
  GitStore,
  LeftOutRepository,
  StoredRepository,
} from '@sextant/contracts';
import { identityText } from './git/commit-record.ts';
import type { HistoryIndex } from './history-index.ts';
import type { Patterns } from './request/patterns.ts';
import { leftOutNotes } from './show/search-failures.ts';
import type { SearchFailures } from './show/search-failures.ts';
import { inTurns } from './search/in-turns.ts';
import type { TimeLimit } from './search/time-limit.ts';
import { peopleOf } from './contributors/git-contributors.ts';
import type { Person } from './contributors/git-contributors.ts';

/** Identities that are kept in memory, of all repositories together. */
const mostPeople = 500_000;
const atOnce = 2;

interface Known {
  readonly head: string;
  readonly people: readonly Person[];
}

export interface ContributorsParts {
  readonly store: GitStore;
  readonly patterns: Patterns;
  readonly index: HistoryIndex;
  readonly failures: SearchFailures;
}

interface Asked {
  /** The repositories that the caller may read. */
  readonly names: readonly string[];
  readonly limit: TimeLimit;
}

interface Looking {
  readonly wanted: (text: string) => boolean;
  readonly limit: TimeLimit;
  /** Not read in time. */
  readonly late: string[];
  readonly leftOut: LeftOutRepository[];
}

/** Who contributed to what; a repository is read again when its default branch has moved. */
export class Contributors {
  readonly #store: GitStore;
  readonly #patterns: Patterns;
  readonly #index: HistoryIndex;
  readonly #failures: SearchFailures;
  readonly #known = new Map<string, Known>();

  constructor({ store, patterns, index, failures }: ContributorsParts) {
    this.#failures = failures;
    this.#store = store;
    this.#index = index;
    this.#patterns = patterns;
  }

  async find(request: ContributorRequest, { names, limit }: Asked): Promise<ContributorResult> {
    const list = { patterns: request.authors, argument: 'authors', isRegex: false, foldCase: true };
    const matcher = this.#patterns.anyOf(list);
    const wanted = remembered((text) => matcher?.testText(text) ?? false);
    const late: string[] = [];
    const leftOut: LeftOutRepository[] = [];
    try {
      const found = await inTurns(names, atOnce, (name) => this.#contribution(name, { wanted, limit, late, leftOut }));
      const notes = leftOutNotes(leftOut, names.length - leftOut.length);
      return answerOf(found.filter(isPresent), { request, late, notes });
    } finally {
      matcher?.release();
    }
  }

  async #contribution(name: string, { wanted, limit, late, leftOut }: Looking): Promise<Contribution | undefined> {
    try {
      const repository = this.#store.find(name);
      if (!repository) {
        leftOut.push({ repo: name, reason: this.#store.whyAbsent(name).message });
        return undefined;
      }
      const people = await this.#people(repository, limit.signal);
      this.#failures.succeeded(name);
      const theirs = people.filter(({ written, mapped }) => wanted(written) || wanted(mapped));
      if (theirs.length === 0) return undefined;
      const commits = theirs.reduce((sum, person) => sum + person.commits, 0);
      return { repo: name, commits, latest: rfc3339(Math.max(...theirs.map((person) => person.latest))) };
    } catch (error) {
      limit.throwIfLeft();
      if (limit.isOver) late.push(name);
      else leftOut.push(this.#failures.failed(name, error));
      return undefined;
    }
  }

  async #people(repository: StoredRepository, signal: AbortSignal): Promise<readonly Person[]> {
    const { name } = repository;
    const head = await repository.head(signal);
    if (head === undefined) return [];
    const known = this.#known.get(name);
    if (known?.head === head) return known.people;
    const people = await this.#read(repository, head, signal);
    this.#known.delete(name);
    this.#known.set(name, { head, people });
    this.#forgetOldest();
    return people;
  }

  /** From the index; from git while not all of it is indexed. */
  async #read(repository: StoredRepository, head: string, signal: AbortSignal): Promise<readonly Person[]> {
    const counts = await this.#index.people(repository, head, signal);
    if (!counts) return peopleOf(repository, head, signal);
    return counts.map(({ author, mapped, ...counted }) => ({
      ...counted,
      written: identityText(author),
      mapped: identityText(mapped),
    }));
  }

  /** A map is in the order of insertion: what was read first goes first. */
  #forgetOldest(): void {
    let kept = [...this.#known.values()].reduce((sum, { people }) => sum + people.length, 0);
    for (const [name, { people }] of this.#known) {
      if (kept <= mostPeople) return;
      this.#known.delete(name);
      kept -= people.length;
    }
  }
}

function answerOf(
  found: readonly Contribution[],
  { request, late, notes }: { request: ContributorRequest; late: readonly string[]; notes: readonly string[] },
): ContributorResult {
  const contributions = found.filter(({ commits }) => commits >= request.minCommits).toSorted(mostFirst);
  const isLimited = contributions.length > request.limit || late.length + notes.length > 0;
  const lateNotes = late.length === 0 ? [] : [`Not read in time: ${late.slice(0, 20).join(', ')}; ask again.`];
  return { contributions: contributions.slice(0, request.limit), isLimited, notes: [...notes, ...lateNotes] };
}

/** The same people work on many repositories. */
function remembered(test: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>();
  return (text) => {
    const answer = known.get(text) ?? test(text);
    known.set(text, answer);
    return answer;
  };
}

const isPresent = <T>(value: T | undefined): value is T => value !== undefined;
const mostFirst = (a: Contribution, b: Contribution): number =>
  b.commits - a.commits || (a.repo < b.repo ? -1 : Number(a.repo > b.repo));
