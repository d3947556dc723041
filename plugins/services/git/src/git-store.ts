import { isSextantError } from '@sextant/core';
import type { SextantError } from '@sextant/core';
import type {
  GitStore,
  StoreCommand,
  StoreRun,
  StoredObject,
  StoredRef,
  StoredRepository,
  TreeOptions,
} from '@sextant/contracts';
import { LRUCache } from 'lru-cache';
import { absence } from './catalog/absence.ts';
import type { Catalog, CatalogEntry } from './catalog/catalog.ts';
import { fullHash } from './objects/full-hash.ts';
import type { GitFolder } from './storage/git-folder.ts';
import type { GitProgram } from './process/git-process.ts';
import type { HeadCommits } from './refs/head-commits.ts';
import type { ObjectReader } from './objects/object-reader.ts';
import type { RefCommits } from './refs/ref-commits.ts';
import type { Precedence } from './process/precedence.ts';
import type { RefWatch } from './refs/ref-watch.ts';
import type { RevisionResolver } from './refs/revision-resolver.ts';
import { changeListing, refuseListing, treeListing, wholeRecords, withSizes } from './objects/tree-listing.ts';
import type { Listing, TreeLimits } from './objects/tree-listing.ts';

export interface CatalogStoreParts {
  catalog: Catalog;
  /** Of its own: what is indexed in the background never waits for callers' commands, nor they for it. */
  git: GitProgram;
  /** Of those that nobody waits for. */
  background: GitProgram;
  precedence: Precedence;
  revisions: RevisionResolver;
  refCommits: RefCommits;
  objects: ObjectReader;
  heads: HeadCommits;
  watch: RefWatch;
  treeLimits: TreeLimits;
}

/** Trees that are remembered as too large: a commit never changes. */
const rememberedRefusals = 1000;

/** The repositories of the catalog for services that index them. */
export class CatalogStore implements GitStore {
  readonly #parts: CatalogStoreParts;
  readonly #refused = new LRUCache<string, SextantError>({ max: rememberedRefusals });

  constructor(parts: CatalogStoreParts) {
    this.#parts = parts;
  }

  list(): StoredRepository[] {
    return this.#parts.catalog.all().flatMap((entry) => this.#stored(entry) ?? []);
  }

  names(): string[] {
    return this.#parts.catalog.all().map(({ name }) => name);
  }

  find(name: string): StoredRepository | undefined {
    const entry = this.#parts.catalog.find(name);
    return entry && this.#stored(entry);
  }

  whyAbsent(name: string): SextantError {
    return absence(this.#parts.catalog.find(name));
  }

  onChange(listener: (name: string) => void): () => void {
    return this.#parts.watch.listen(listener);
  }

  putFirst(work: Promise<unknown>): void {
    this.#parts.precedence.put(work);
  }

  untilQuiet(signal: AbortSignal): Promise<void> {
    return this.#parts.precedence.untilQuiet(signal);
  }

  #stored(entry: CatalogEntry): StoredRepository | undefined {
    const folder = entry.folder();
    if (!folder || folder.failure) return undefined;
    return new CatalogRepository(entry, folder, { ...this.#parts, refused: this.#refused });
  }
}

/** What a service resolves is shown to a caller by whoever asked; suggestions would need the caller. */
const noNames = async (): Promise<string[]> => [];

interface RepositoryParts extends CatalogStoreParts {
  /** Listings that were too large. */
  refused: LRUCache<string, SextantError>;
}

class CatalogRepository implements StoredRepository {
  readonly name: string;
  readonly branches: readonly string[];
  readonly #folder: GitFolder;
  readonly #parts: RepositoryParts;

  constructor({ name, branches }: CatalogEntry, folder: GitFolder, parts: RepositoryParts) {
    this.name = name;
    this.branches = branches;
    this.#folder = folder;
    this.#parts = parts;
  }

  stream(command: StoreCommand): AsyncIterable<Uint8Array> {
    refuseListing(command);
    return this.#run(command);
  }

  tree(commit: string, { wantsSizes = false, ...run }: TreeOptions): AsyncIterable<Buffer> {
    const records = this.#listed(treeListing(commit), run);
    if (!wantsSizes) return records;
    return withSizes(records, (ids) => this.#parts.objects.sizes(this.#folder, ids, run.signal));
  }

  changes(from: string, to: string, run: StoreRun): AsyncIterable<Buffer> {
    return this.#listed(changeListing(from, to), run);
  }

  async *#listed({ args, fieldsInRecord }: Listing, run: StoreRun): AsyncGenerator<Buffer, void, void> {
    await this.#folder.prepare();
    const { treeLimits: limits, refused } = this.#parts;
    const key = [this.#folder.cacheKey(), ...args].join(' ');
    const known = refused.get(key);
    if (known) throw known;
    const pieces = this.#started({ args, seconds: limits.seconds, maxBytes: Infinity, ...run });
    try {
      yield* wholeRecords(pieces, { fieldsInRecord, limits });
    } catch (error) {
      if (isSextantError(error) && error.code === 'too_large') refused.set(key, error);
      throw error;
    }
  }

  async *#run(command: StoreCommand): AsyncGenerator<Buffer, void, void> {
    await this.#folder.prepare();
    yield* this.#started(command);
  }

  /** In a folder that is prepared. */
  #started(command: StoreCommand): AsyncIterable<Buffer> {
    const { git, background, precedence } = this.#parts;
    const run = { gitFolder: this.#folder.path, ...command };
    if (command.isBackground) return precedence.afterwards(background.stream(run), command.signal);
    return command.comesFirst ? precedence.first(git.stream(run)) : git.stream(run);
  }

  async object(
    id: string,
    { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
  ): Promise<StoredObject | undefined> {
    if (!fullHash.test(id)) return undefined;
    await this.#folder.prepare();
    return this.#parts.objects.find(this.#folder, id, { maxBytes, signal });
  }

  async head(signal: AbortSignal): Promise<string | undefined> {
    const commit = await this.#folder.steadily(async () => this.#parts.heads.of(this.#folder));
    if (commit !== undefined) return commit;
    try {
      return await this.#resolve(undefined, signal);
    } catch (error) {
      if (!isSextantError(error) || error.code !== 'not_found') throw error;
    }
    // Git says the same of a branch without commits and of a commit that is missing; listing the refs fails for the second.
    await this.refs(signal);
    return undefined;
  }

  resolve(revision: string, signal: AbortSignal): Promise<string> {
    return this.#resolve(revision, signal);
  }

  async refs(signal: AbortSignal): Promise<readonly StoredRef[]> {
    await this.#folder.prepare();
    return this.#parts.refCommits.list(this.#folder, signal);
  }

  async #resolve(revision: string | undefined, signal: AbortSignal): Promise<string> {
    const folder = this.#folder;
    await folder.prepare();
    return this.#parts.revisions.resolve({ folder, key: folder.cacheKey(), revision, signal, namesToSuggest: noNames });
  }
}
