import type { StoredRepository } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import { changes, walk } from '../git/commands.ts';
import type { EndingSink } from '../git/commands.ts';
import type { Tips } from '../git/tips.ts';
import type { Walks } from '../git/walks.ts';
import type { MayHave } from '../index/repository-changes.ts';
import { AcceptedCommits } from './commit-sinks.ts';
import type { Conditions } from './conditions.ts';
import type { TimeLimit } from './time-limit.ts';

/** Commits whose changes are looked at between two looks at the walk; each part is twice as long as the one before. */
const firstPart = 2048;
const longestPart = 65_536;
/** Commits without their blobs that are passed over before git is taken to be broken. */
const mostUnreadable = 20;

export interface RepositorySearch {
  readonly repository: StoredRepository;
  readonly tips: Tips;
  readonly conditions: Conditions;
  readonly limit: TimeLimit;
  /** Which commits may change a line that is looked for. */
  readonly mayHave: MayHave;
  readonly walks: Walks;
}

/** How far a search came. */
export interface Reach {
  /** Whether time was up before the end. */
  isLate: boolean;
  /** Commits whose changes git could not read. */
  unreadable: number;
}

/** The newest commits that are accepted for what they are. */
export async function searchCommits(search: RepositorySearch, sink: AcceptedCommits): Promise<Reach> {
  const { repository, tips, conditions, limit } = search;
  const part = { tips, before: conditions.window.before, isWithoutMerges: false, skip: 0, limit: -1 };
  return inTime(limit, async () => {
    await walk(repository, part, { sink, signal: limit.signal });
    return 0;
  });
}

/** Shows the sink the changes of accepted commits, newest first. */
export async function searchChanges(search: RepositorySearch, sink: EndingSink): Promise<Reach> {
  const { repository, tips, conditions, limit, walks } = search;
  return inTime(limit, async (reach) => {
    if (!conditions.looksAtCommits) {
      const { hashes, times } = await walks.of(repository, tips, limit.signal);
      const wanted = hashes.filter((hash, index) => conditions.isInWindow(times[index] ?? 0) && search.mayHave(hash));
      reach.unreadable = await readChanges(search, wanted, sink);
      return;
    }
    let [skip, size] = [0, firstPart];
    for (; !sink.isDone; size = Math.min(2 * size, longestPart)) {
      const accepted = new AcceptedCommits(conditions, Infinity);
      const part = { tips, before: conditions.window.before, isWithoutMerges: true, skip, limit: size };
      await walk(repository, part, { sink: accepted, signal: limit.signal });
      const hashes = accepted.found.map(({ hash }) => hash).filter(search.mayHave);
      reach.unreadable += await readChanges(search, hashes, sink);
      if (accepted.seen < size) break;
      skip += size;
    }
  });
}

async function inTime(limit: TimeLimit, work: (reach: Reach) => Promise<unknown>): Promise<Reach> {
  const reach: Reach = { isLate: false, unreadable: 0 };
  try {
    await work(reach);
  } catch (error) {
    if (!limit.isOver) throw error;
    reach.isLate = true;
  }
  return reach;
}

/** A missing blob ends git in the middle: it goes on behind that commit. Returns the number of such commits. */
async function readChanges(
  { repository, conditions, limit }: RepositorySearch,
  hashes: readonly string[],
  sink: EndingSink,
): Promise<number> {
  const hasPatch = conditions.content !== undefined;
  let unreadable = 0;
  for (let rest = hashes; rest.length > 0 && !sink.isDone; ) {
    const counting = new CountedCommits(sink);
    try {
      await changes(repository, { hashes: rest, hasPatch }, { sink: counting, signal: limit.signal });
      return unreadable;
    } catch (error) {
      if (!isSextantError(error) || error.code !== 'unavailable' || unreadable === mostUnreadable) throw error;
      unreadable += 1;
      rest = rest.slice(Math.max(1, counting.seen));
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
