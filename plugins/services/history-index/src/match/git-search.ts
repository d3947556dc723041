import type { StoredRepository } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import { changes, records } from '../git/commands.ts';
import type { EndingSink } from '../git/commands.ts';
import { AcceptedCommits } from './commit-sinks.ts';
import type { CommitPredicate } from './commit-predicate.ts';
import type { TimeLimit } from '../search/time-limit.ts';

/** Commits of the first part that is looked at; each is twice as large as the one before. */
const firstPart = 2048;
const largestPart = 65_536;
/** Commits without their blobs, or too large to be compared in time, that are passed over; those behind them are not tried. */
const mostUnreadable = 20;

/** Commits that the index cannot answer for. */
export interface GitSearch {
  readonly repository: StoredRepository;
  /** Newest first. */
  readonly hashes: readonly string[];
  readonly conditions: CommitPredicate;
  readonly limit: TimeLimit;
}

/** How far a search came. */
export interface Reach {
  /** Whether time was up before the end. */
  isLate: boolean;
  /** Commits whose changes git could not read. */
  unreadable: number;
}

/** Shows the sink the commits that are accepted for what they are, newest first. */
export function searchCommits({ repository, hashes, limit }: GitSearch, sink: AcceptedCommits): Promise<Reach> {
  return inParts(hashes, limit, async (part) => {
    if (!sink.isDone) await records(repository, part, { sink, signal: limit.signal });
    return 0;
  });
}

/** Shows the sink the changes of accepted commits, newest first. */
export function searchChanges(search: GitSearch, sink: EndingSink): Promise<Reach> {
  const { repository, hashes, conditions, limit } = search;
  return inParts(hashes, limit, async (part) => {
    if (sink.isDone) return 0;
    if (!conditions.looksAtCommits) return readChanges(search, part, sink);
    const accepted = new AcceptedCommits(conditions, Infinity);
    await records(repository, part, { sink: accepted, signal: limit.signal });
    return readChanges(
      search,
      accepted.found.map(({ hash }) => hash),
      sink,
    );
  });
}

async function inParts(
  hashes: readonly string[],
  limit: TimeLimit,
  search: (part: readonly string[]) => Promise<number>,
): Promise<Reach> {
  const reach: Reach = { isLate: false, unreadable: 0 };
  try {
    for (let [from, size] = [0, firstPart]; from < hashes.length; size = Math.min(2 * size, largestPart)) {
      reach.unreadable += await search(hashes.slice(from, from + size));
      from += size;
    }
  } catch (error) {
    if (!limit.isOver) throw error;
    reach.isLate = true;
  }
  return reach;
}

/** A missing blob ends git in the middle, as does its time: it goes on behind that commit. Returns the number of commits that were not read. */
async function readChanges(
  { repository, conditions, limit }: GitSearch,
  hashes: readonly string[],
  sink: EndingSink,
): Promise<number> {
  const hasPatch = conditions.content !== undefined;
  let unreadable = 0;
  let isReading = true;
  for (let rest = hashes; rest.length > 0 && !sink.isDone; ) {
    const counting = new CountedCommits(sink);
    try {
      await changes(repository, { hashes: rest, hasPatch }, { sink: counting, signal: limit.signal });
      return unreadable;
    } catch (error) {
      limit.signal.throwIfAborted();
      const { code = undefined } = isSextantError(error) ? error : {};
      // Git prints a commit before it reads its blobs: where it prints none time and again, it is the repository that cannot be read.
      if (code !== 'timeout' && (code !== 'unavailable' || !(isReading || counting.seen > 0))) throw error;
      isReading = counting.seen > 0;
      rest = rest.slice(Math.max(1, counting.seen));
      unreadable += 1;
      if (unreadable > mostUnreadable) return unreadable + rest.length;
    }
  }
  return unreadable;
}

/** Counts the commits that a sink is shown. */
class CountedCommits implements EndingSink {
  seen = 0;
  readonly #sink: EndingSink;

  constructor(sink: EndingSink) {
    this.#sink = sink;
  }

  get isDone(): boolean {
    return this.#sink.isDone;
  }

  commit(record: Parameters<EndingSink['commit']>[0]): void {
    this.seen += 1;
    this.#sink.commit(record);
  }

  path(path: string): void {
    this.#sink.path(path);
  }

  hunk(path: string, header: string): void {
    this.#sink.hunk(path, header);
  }

  line(line: Buffer): void {
    this.#sink.line(line);
  }
}
