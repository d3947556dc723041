import type { Workspace } from '@sextant/library-block-index';
import type { CommitRecord, Identity } from '../git/commit-record.ts';
import type { Patterns } from '../request/patterns.ts';
import { CommitPredicate } from '../match/commit-predicate.ts';
import type { FoundHunk } from '../show/hunk-collector.ts';
import type { AcceptedPaths } from '../match/accepted-paths.ts';
import type { TextIndexes } from '../snapshot/text-indexes.ts';
import { Newest } from '../match/newest.ts';
import { SnapshotSearch } from '../match/snapshot-search.ts';
import type { SnapshotQuery } from '../match/snapshot-search.ts';
import { LoadedRepository } from './loaded-repository.ts';
import type { PersonCount, SearchAnswer, SearchCalls, SearchJob, ShardSet } from './thread-calls.ts';
import { StopWatch, StoppedError } from './stop-watch.ts';

interface Parts {
  readonly workspace: Workspace;
  readonly patterns: Patterns;
  readonly texts: TextIndexes;
  readonly acceptedPaths: AcceptedPaths;
}

/** Answers searches from shards, in a thread of its own. */
export class SearchServer {
  readonly #parts: Parts;
  readonly #known = new Map<string, LoadedRepository>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  search(job: SearchJob): SearchAnswer {
    const repository = this.#repository(job.set.folder);
    const view = repository.view(job.set.shards);
    const reach = view.reach(job.tips);
    if (reach.missing.length > 0) return { kind: 'missing', hashes: reach.missing };
    const conditions = new CommitPredicate(this.#parts.patterns, job.wanted);
    const { workspace, texts } = this.#parts;
    const watch = new StopWatch(job);
    const checkpoint = (): void => watch.check();
    // Expressions are tested outside of searches, too: that must not ask the watch of the search before.
    workspace.checkpoint = checkpoint;
    try {
      const { messages, paths, content, sides } = job.wanted;
      const { acceptedPaths } = this.#parts;
      const mapped = (identity: Identity): Identity => repository.mapped(identity);
      const query = {
        acceptedPaths,
        paths,
        conditions,
        messages,
        content,
        sides,
        texts,
        mapped,
        checkpoint,
        reach,
        most: job.most,
      };
      return this.#find(job, { view, query, watch });
    } finally {
      workspace.checkpoint = () => undefined;
      conditions.release();
    }
  }

  open(set: ShardSet): ReturnType<SearchCalls['open']> {
    const repository = this.#repository(set.folder);
    return { commits: repository.view(set.shards).indexedCommits, people: repository.people() };
  }

  outline({ set, printed }: Parameters<SearchCalls['outline']>[0]): readonly string[] {
    const repository = this.#repository(set.folder);
    const hashes = repository.addOutline(printed);
    return repository.view(set.shards).notIndexed(hashes);
  }

  dropOutlines(folder: string): void {
    this.#repository(folder).dropOutlines();
  }

  mailmap({ folder, mapped }: Parameters<SearchCalls['mailmap']>[0]): void {
    this.#repository(folder).setMailmap(mapped);
  }

  people({ set, head }: Parameters<SearchCalls['people']>[0]): readonly PersonCount[] | undefined {
    return this.#repository(set.folder).contributors(set.shards, head);
  }

  unreached({ set, tips, among }: Parameters<SearchCalls['unreached']>[0]): readonly string[] {
    return this.#repository(set.folder).view(set.shards).unreached(tips, among);
  }

  forget(folder: string): void {
    this.#known.get(folder)?.close();
    this.#known.delete(folder);
  }

  #find(job: SearchJob, { view, query, watch }: FindParts): SearchAnswer {
    const commits = new Newest<CommitRecord>(job.most, ({ time }) => time);
    const hunks = new Newest<FoundHunk>(job.most, ({ record }) => record.time);
    const search = new SnapshotSearch(view, query);
    let isStopped = false;
    try {
      if (job.finds === 'commits') search.commits(commits);
      else search.hunks(hunks);
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error;
      if (watch.isOver) return { kind: 'too-slow' };
      isStopped = true;
    }
    const least = Math.max(commits.least, hunks.least);
    const pending = view
      .pending(query.reach, query.conditions.needsChanges)
      .filter(({ time }) => time >= least && query.conditions.isInWindow(time));
    const beyondLimits = query.conditions.needsChanges ? view.beyondLimits(query.reach) : 0;
    return { kind: 'found', commits: commits.items, hunks: hunks.items, isStopped, pending, beyondLimits };
  }

  #unloadOldest(current: LoadedRepository): void {
    let commits = [...this.#known.values()].reduce((sum, known) => sum + known.commits, 0);
    for (const known of this.#known.values()) {
      if (commits <= mostCommits) return;
      if (known === current) continue;
      commits -= known.commits;
      known.close();
    }
  }

  #repository(folder: string): LoadedRepository {
    const known = this.#known.get(folder) ?? new LoadedRepository(folder, this.#parts.texts);
    // A map is in the order of insertion: the first is the one that was not asked for longest.
    this.#known.delete(folder);
    this.#known.set(folder, known);
    this.#unloadOldest(known);
    return known;
  }
}

/** Commits of which the tables are in memory, of all repositories together. */
const mostCommits = 1_000_000;

interface FindParts {
  readonly view: ReturnType<LoadedRepository['view']>;
  readonly query: SnapshotQuery;
  readonly watch: StopWatch;
}
