import { PatchParser, readPatches } from '@sextant/contracts';
import type {
  ChangedEntry,
  CommitRecord,
  PatchOptions,
  PatchRange,
  PatchSink,
  StoredRepository,
} from '@sextant/contracts';
import { isSextantError, oneLine } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import { comparing } from '../limits.ts';
import { lackedObject } from '../search-failures.ts';
import type { TimeLimit } from './time-limit.ts';

/** Files that git could not compare in time lately, by the hash of their commit: no other search waits for them. */
const hardFiles = new LRUCache<string, ReadonlySet<string>>({
  maxSize: 10_000_000,
  sizeCalculation: (paths) => 100 + [...paths].reduce((sum, { length }) => sum + length, 0),
  ttl: 600_000,
});

/** What could not be read of some commits. */
export interface Unread {
  /** Commits whose changes git could not read. */
  unreadable: number;
  /** Which object the first of them lacks, where git tells. */
  why?: string | undefined;
  /** Files that git could not compare in time, each with its commit. */
  readonly notCompared: string[];
}

export interface ChangeReading {
  readonly repository: StoredRepository;
  readonly wants: 'paths' | 'hunks';
  readonly limit: TimeLimit;
  readonly sink: PatchSink;
  /** What could not be read is added here. */
  readonly unread: Unread;
  /** Whether a file that is left out is worth telling. */
  acceptsPath(path: string): boolean;
}

/** Shows the changes of commits to a sink, in their order, and leaves out what git cannot read or compare in time. */
export class ChangeReader {
  readonly #reading: ChangeReading;
  readonly #options: PatchOptions;

  constructor(reading: ChangeReading) {
    this.#reading = reading;
    const { wants, limit } = reading;
    const { seconds, silentSeconds } = comparing;
    this.#options = { wants, seconds, silentSeconds, signal: limit.signal };
  }

  /** Git stops at a missing blob, and at a file that takes too long. Then it is started again behind that commit. */
  async read(hashes: readonly string[]): Promise<void> {
    const { sink, unread, repository, limit } = this.#reading;
    let isReading = true;
    for (let rest = hashes; rest.length > 0 && !sink.isDone; ) {
      const hard = rest.findIndex((hash) => hardFiles.has(hash));
      if (hard === 0) {
        await this.#readOthers(rest[0] ?? '', new ShownChanges(sink));
        rest = rest.slice(1);
        continue;
      }
      const commits = hard < 0 ? rest : rest.slice(0, hard);
      const shown = new ShownChanges(sink);
      const parser = new PatchParser(shown);
      try {
        await readPatches(repository.patches({ commits }, this.#options), shown, parser);
        rest = rest.slice(commits.length);
      } catch (error) {
        limit.signal.throwIfAborted();
        const { code = undefined } = isSextantError(error) ? error : {};
        if (code === 'timeout') {
          rest = await this.#passHard(rest, parser.commits, shown);
          continue;
        }
        // Git prints a commit before it reads its blobs. If it prints none twice in a row, the repository itself cannot be read.
        if (code !== 'unavailable' || !(isReading || parser.commits > 0)) throw error;
        isReading = parser.commits > 0;
        rest = rest.slice(Math.max(1, parser.commits));
        unread.unreadable += 1;
        unread.why ??= lackedObject(error);
      }
      if (unread.unreadable > comparing.failures) {
        unread.unreadable += rest.length;
        return;
      }
    }
  }

  /** Reads the commit at which git was stopped without the files that take too long. Returns the commits behind it. */
  async #passHard(rest: readonly string[], printed: number, shown: ShownChanges): Promise<readonly string[]> {
    const isBegun = printed > 0 && !shown.isWhole;
    const at = isBegun ? printed - 1 : printed;
    const commit = rest[at];
    if (commit === undefined) return [];
    const from = isBegun ? shown : new ShownChanges(this.#reading.sink);
    await this.#findHard(commit, from);
    await this.#readOthers(commit, from);
    return rest.slice(at + 1);
  }

  async #findHard(commit: string, shown: ShownChanges): Promise<void> {
    const hard = new Set(hardFiles.get(commit));
    const paths = (await this.#pathsOf(commit)) ?? [];
    const left = paths.filter((path) => !shown.has(path) && !hard.has(path));
    const slow = left.length > 1 ? await this.#slowAmong(commit, new Set(left)) : [];
    const suspects = slow.length > 0 ? slow : left;
    // A file that is left alone is the one at which git was stopped.
    const isTold = suspects.length === 1 || lengthOf(paths) > comparing.pathCharacters;
    const until = performance.now() + 1000 * comparing.aloneSeconds;
    for (const path of suspects) {
      const isTried = !isTold && performance.now() < until;
      const isRead = isTried && (await this.#inTime({ commits: [commit], paths: [path] }, {}));
      if (!isRead) hard.add(path);
    }
    hardFiles.set(commit, hard);
  }

  /** Files with so much before and after a commit that git may not compare them in time. */
  async #slowAmong(commit: string, paths: ReadonlySet<string>): Promise<string[]> {
    const { repository, limit } = this.#reading;
    const run = { signal: limit.signal };
    const entries: ChangedEntry[] = [];
    try {
      const parent = await repository.resolve(`${commit}^`, limit.signal);
      for await (const some of repository.changes(parent, commit, run))
        entries.push(...some.filter(({ path, before }) => before && paths.has(path)));
      const sizes = await repository.sizes(
        entries.flatMap(({ id, before }) => [id, before?.id ?? id]),
        limit.signal,
      );
      const isSlow = (at: number): boolean =>
        [2 * at, 2 * at + 1].every((side) => (sizes[side] ?? 0) > comparing.quickBytes);
      return entries.filter((_, at) => isSlow(at)).map(({ path }) => path);
    } catch (error) {
      limit.signal.throwIfAborted();
      // A first commit has no parent. Then, and where git cannot tell, each file is tried.
      if (isSextantError(error)) return [];
      throw error;
    }
  }

  /** Reads the files of a commit that are not hard. What was shown of it is not shown again. */
  async #readOthers(commit: string, shown: ShownChanges): Promise<void> {
    const { unread, acceptsPath } = this.#reading;
    const hard = hardFiles.get(commit) ?? new Set();
    const paths = await this.#pathsOf(commit);
    const others = paths?.filter((path) => !hard.has(path)) ?? [];
    const canRead = paths !== undefined && lengthOf(others) <= comparing.pathCharacters;
    const isRead =
      canRead &&
      (others.length === 0 ||
        (await this.#inTime({ commits: [commit], paths: others }, new ShownChanges(this.#reading.sink, shown))));
    if (!isRead) unread.unreadable += 1;
    for (const path of hard)
      if (acceptsPath(path)) unread.notCompared.push(`${oneLine(path)} in commit ${commit.slice(0, 12)}`);
  }

  async #pathsOf(commit: string): Promise<string[] | undefined> {
    const paths: string[] = [];
    const sink = { path: (path: string) => void paths.push(path) };
    return (await this.#inTime({ commits: [commit] }, sink, 'paths')) ? paths : undefined;
  }

  /** Whether git read the changes of these files in time. */
  async #inTime(range: PatchRange, sink: PatchSink, wants = this.#reading.wants): Promise<boolean> {
    const { repository, limit } = this.#reading;
    try {
      await readPatches(repository.patches(range, { ...this.#options, wants, seconds: comparing.aloneSeconds }), sink);
      return true;
    } catch (error) {
      limit.signal.throwIfAborted();
      if (isSextantError(error) && (error.code === 'timeout' || error.code === 'unavailable')) return false;
      throw error;
    }
  }
}

const lengthOf = (paths: readonly string[]): number => paths.reduce((sum, { length }) => sum + length + 1, 0);

/** Passes changes on, and knows which part of the last commit it has passed on. */
class ShownChanges implements PatchSink {
  readonly #sink: PatchSink;
  readonly #isAgain: boolean;
  readonly #files = new Set<string>();
  readonly #skip: number;
  #lastPath: string | undefined;
  #lastFile: string | undefined;
  #hasCommit = false;
  /** Of its files, hunks and lines. */
  #events = 0;

  /** `before`: the same commit as far as it was shown before, which is not passed on again. */
  constructor(sink: PatchSink, before?: ShownChanges) {
    this.#sink = sink;
    [this.#isAgain, this.#skip] = before ? [before.#hasCommit, before.#events] : [false, 0];
  }

  get isDone(): boolean {
    return this.#sink.isDone ?? false;
  }

  /** Whether the last commit was shown to its end: git prints the begin of a file once it has compared it. */
  get isWhole(): boolean {
    return this.#lastPath === this.#lastFile;
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  commit(record: CommitRecord): void {
    this.#hasCommit = true;
    this.#files.clear();
    this.#events = 0;
    [this.#lastPath, this.#lastFile] = [undefined, undefined];
    if (!this.#isAgain) this.#sink.commit?.(record);
  }

  path(path: string): void {
    this.#lastPath = path;
    if (!this.#isAgain) this.#sink.path?.(path);
  }

  file(path: string): void {
    this.#lastFile = path;
    this.#files.add(path);
    if (this.#isNew()) this.#sink.file?.(path);
  }

  binary(path: string): void {
    if (this.#isNew()) this.#sink.binary?.(path);
  }

  hunk(path: string, header: string): void {
    if (this.#isNew()) this.#sink.hunk?.(path, header);
  }

  line(line: Buffer): void {
    if (this.#isNew()) this.#sink.line?.(line);
  }

  #isNew(): boolean {
    this.#events += 1;
    return this.#events > this.#skip;
  }
}
