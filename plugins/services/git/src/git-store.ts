import { isSextantError } from '@sextant/core';
import type { SextantError } from '@sextant/core';
import { identityText, missingBlob, secondsOf, textOf } from '@sextant/contracts';
import type {
  Asking,
  BlobBatch,
  BlobOptions,
  ChangedEntry,
  CommitColumns,
  CommitRange,
  GitStore,
  Identity,
  ListedEntry,
  MappedIdentity,
  PatchOptions,
  PatchRange,
  StoreRun,
  StoredObject,
  StoredRef,
  StoredRepository,
  TreeOptions,
} from '@sextant/contracts';
import { LRUCache } from 'lru-cache';
import { absence } from './catalog/catalog.ts';
import type { Catalog, CatalogEntry } from './catalog/catalog.ts';
import { fullHash } from './objects/object-reader.ts';
import type { GitFolder } from './storage/git-folder.ts';
import type { GitProgram } from './process/git-process.ts';
import type { HeadCommits } from './refs/head-commits.ts';
import type { ObjectReader } from './objects/object-reader.ts';
import type { RefCommits } from './refs/ref-lister.ts';
import type { Precedence } from './process/precedence.ts';
import type { RefWatch } from './refs/ref-watch.ts';
import { linesOf } from './refs/ref-targets.ts';
import type { RevisionResolver } from './refs/revision-resolver.ts';
import { BlobCollector, blobBatches } from './objects/blob-batches.ts';
import { changeListing, listedEntries, treeListing, withSizes } from './objects/listings.ts';
import type { Listing, ListingLimits } from './objects/listings.ts';
import { mailmapSettings, patchCommand } from './objects/patch-command.ts';
import { fewChanges } from './objects/tree-changes.ts';
import type { TreePlace, TreeReader } from './objects/tree-reader.ts';

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
  trees: TreeReader;
  heads: HeadCommits;
  watch: RefWatch;
  treeLimits: ListingLimits;
}

/** Trees that are remembered as too large: a commit never changes. */
const rememberedRefusals = 1000;

/** The repositories of the catalog for services that index them. */
export class CatalogStore implements GitStore {
  readonly #parts: RepositoryParts;

  constructor(parts: CatalogStoreParts) {
    this.#parts = { ...parts, refused: new LRUCache({ max: rememberedRefusals }) };
  }

  async list(): Promise<StoredRepository[]> {
    return this.#parts.catalog.all().flatMap((entry) => this.#stored(entry) ?? []);
  }

  async names(): Promise<string[]> {
    return this.#parts.catalog.all().map(({ name }) => name);
  }

  async find(name: string, { isNamed }: Asking = { isNamed: false }): Promise<StoredRepository | undefined> {
    const entry = this.#parts.catalog.find(name);
    if (isNamed) entry?.touch();
    return entry && this.#stored(entry);
  }

  async whyAbsent(name: string): Promise<SextantError> {
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
    return new CatalogRepository(entry, folder, this.#parts);
  }
}

/** Blobs up to which a process that is running already is asked. */
const fewBlobs = 64;
/** For all blobs that are asked for at once. */
const blobSeconds = 3600;
const idsPerWrite = 1000;

/** What `StoredRepository` runs: a command of git that reads, and how it runs. */
interface StoreCommand extends StoreRun {
  readonly args: readonly string[];
  readonly input?: Iterable<Uint8Array>;
  readonly seconds?: number;
  readonly maxBytes?: number;
}

/** Lines of input with an id each. */
function* linesWith(ids: readonly string[]): Generator<Uint8Array> {
  for (let at = 0; at < ids.length; at += idsPerWrite)
    yield Buffer.from(`${ids.slice(at, at + idsPerWrite).join('\n')}\n`);
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

  async *tree(
    commit: string,
    { wantsSizes = false, ...run }: TreeOptions,
  ): AsyncGenerator<readonly ListedEntry[], void, void> {
    const entries = this.#listed(treeListing(commit), run);
    yield* wantsSizes ? withSizes(entries, this.#sizesIn(commit, run.signal)) : entries;
  }

  async *changes(from: string, to: string, run: StoreRun): AsyncGenerator<readonly ChangedEntry[], void, void> {
    if (run.isBackground) await this.#parts.precedence.untilQuiet(run.signal);
    const { trees, treeLimits } = this.#parts;
    const few = await fewChanges(trees, await this.#place(run.signal), { from, to, pathBytes: treeLimits.pathBytes });
    if (few && few.length <= treeLimits.entries) yield few;
    else yield* this.#listed(changeListing(from, to), run);
  }

  async *#listed<Entry>(listing: Listing<Entry>, run: StoreRun): AsyncGenerator<Entry[], void, void> {
    const { key: folderKey } = await this.#place(run.signal);
    const { treeLimits: limits, refused } = this.#parts;
    const { args } = listing;
    const key = [folderKey, ...args].join(' ');
    const known = refused.get(key);
    if (known) throw known;
    const output = this.#started({ args, seconds: limits.seconds, maxBytes: Infinity, ...run });
    try {
      yield* listedEntries(output, listing, limits);
    } catch (error) {
      if (isSextantError(error) && error.code === 'too_large') refused.set(key, error);
      throw error;
    }
  }

  /**
   * Asks for sizes of blobs of a commit. Git before 2.45 ends at an object that a partial clone lacks: where it has ended, the objects that
   * are missing are found first.
   */
  #sizesIn(commit: string, signal: AbortSignal): (ids: readonly string[]) => Promise<readonly (number | undefined)[]> {
    let missing: ReadonlySet<string> = new Set();
    let hasFailed = false;
    return async (ids) => {
      if (!hasFailed)
        try {
          return await this.sizes(ids, signal);
        } catch (error) {
          if (!isSextantError(error) || error.code !== 'unavailable') throw error;
          hasFailed = true;
          // If that does not help either, the first error says more.
          missing = await this.#missingIn(commit, signal).catch(() => Promise.reject(error));
        }
      const there = ids.filter((id) => !missing.has(id));
      const sizes = await this.sizes(there, signal);
      const known = new Map(there.map((id, at) => [id, sizes[at]]));
      return ids.map((id) => known.get(id));
    };
  }

  async #missingIn(commit: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const args = ['rev-list', '--objects', '--no-walk', '--missing=print', '--end-of-options', commit];
    const missing = new Set<string>();
    for await (const lines of linesOf(this.#run({ args, seconds: blobSeconds, maxBytes: Infinity, signal })))
      for (const line of lines) if (line.startsWith('?')) missing.add(line.slice(1));
    return missing;
  }

  async *blobs(
    ids: readonly string[],
    { maxBytes, areChecked = false, ...run }: BlobOptions,
  ): AsyncGenerator<BlobBatch, void, void> {
    if (ids.length <= fewBlobs && !run.isBackground)
      return yield* this.#fewBlobs(ids, { maxBytes, areChecked, ...run });
    if (run.isBackground) await this.#parts.precedence.untilQuiet(run.signal);
    const wanted = areChecked ? ids : await this.#notLarger(ids, maxBytes, run.signal);
    if (wanted.length === 0) return;
    const command = { args: ['cat-file', '--batch', '--buffer'], input: linesWith(wanted), seconds: blobSeconds };
    yield* blobBatches(this.#run({ ...command, maxBytes: Infinity, ...run }), maxBytes);
  }

  /** To start git takes longer than a process that is there needs for so many. */
  async *#fewBlobs(
    ids: readonly string[],
    { maxBytes, areChecked, signal }: BlobOptions,
  ): AsyncGenerator<BlobBatch, void, void> {
    const { folder } = await this.#place(signal);
    const collector = new BlobCollector();
    for (const id of ids) {
      const object = await this.#parts.objects.find(folder, id, { maxBytes, signal });
      const blob = object?.type === 'blob' ? object : undefined;
      if (blob && !blob.content && !areChecked) continue;
      const filled = collector.begin(id, blob?.content?.length ?? missingBlob);
      if (filled) yield filled;
      if (blob?.content) collector.add(blob.content);
    }
    const last = collector.take();
    if (last) yield last;
  }

  async #notLarger(ids: readonly string[], maxBytes: number, signal: AbortSignal): Promise<string[]> {
    const sizes = await this.sizes(ids, signal);
    return ids.filter((_, at) => (sizes[at] ?? 0) <= maxBytes);
  }

  async sizes(ids: readonly string[], signal: AbortSignal): Promise<readonly (number | undefined)[]> {
    const { folder } = await this.#place(signal);
    return this.#parts.objects.sizes(folder, ids, signal);
  }

  /** The folder, prepared. */
  async #place(signal: AbortSignal): Promise<TreePlace> {
    await this.#folder.prepare();
    return { folder: this.#folder, key: this.#folder.cacheKey(), signal };
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
    const { folder } = await this.#place(signal);
    return this.#parts.objects.find(folder, id, { maxBytes, signal });
  }

  async graph({ include, exclude = [], withoutMerges, most }: CommitRange, run: StoreRun): Promise<CommitColumns> {
    const args = [
      'rev-list',
      '--timestamp',
      '--parents',
      '--ignore-missing',
      '--stdin',
      ...(withoutMerges === true ? ['--no-merges'] : []),
      ...(most === undefined ? [] : [`--max-count=${most}`]),
    ];
    const input = linesWith([...include, ...exclude.map((hash) => `^${hash}`)]);
    const seconds = run.isBackground ? this.#parts.treeLimits.seconds : undefined;
    return columnsOf(this.#run({ args, input, ...(seconds !== undefined && { seconds }), ...run }));
  }

  async *patches(range: PatchRange, { wants, contextLines, ...run }: PatchOptions): AsyncGenerator<Uint8Array> {
    const mailmap = 'commits' in range ? await this.#mailmapBlob(run.signal) : undefined;
    const cut = this.#folder.historyStart.commits;
    const command = patchCommand(range, { wants, mailmap, cut, ...(contextLines !== undefined && { contextLines }) });
    yield* this.#run({ ...command, maxBytes: Infinity, ...run });
  }

  async mailmap(people: readonly Identity[], run: StoreRun): Promise<readonly MappedIdentity[]> {
    const asked = people.filter((person) => contact.test(identityText(person)));
    const mailmap = asked.length === 0 ? undefined : await this.#mailmapBlob(run.signal);
    if (mailmap === undefined) return [];
    const args = [...mailmapSettings(mailmap), 'check-mailmap', '--stdin'];
    const input = linesWith(asked.map(identityText));
    const printed: Buffer[] = [];
    for await (const piece of this.#run({ args, input, ...run })) printed.push(piece);
    const lines = textOf(Buffer.concat(printed)).split('\n');
    return asked.flatMap((written, index) => {
      const [, name, email] = /^(.*?) ?<([^<>]*)>$/.exec(lines[index] ?? '') ?? [];
      if (name === undefined || email === undefined) return [];
      return name === written.name && email === written.email ? [] : [[written, { name, email }] as const];
    });
  }

  /**
   * The mailmap of HEAD, unless git would need long for it. Most repositories have none, and to start git takes far longer
   * than to look. Where that cannot be told, git is asked.
   */
  async #mailmapBlob(signal: AbortSignal): Promise<string | undefined> {
    try {
      const commit = await this.head(signal);
      if (commit === undefined) return undefined;
      const place = await this.#place(signal);
      const { trees } = this.#parts;
      const found = (await trees.tree(place, await trees.rootOf({ ...place, commit }))).find('.mailmap');
      if (!found) return undefined;
      const [size = 0] = await this.sizes([found.id], signal);
      return size <= mostMailmapBytes ? found.id : undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (isSextantError(error)) return 'HEAD:.mailmap';
      throw error;
    }
  }

  async shallow(signal: AbortSignal): Promise<string> {
    const { folder } = await this.#place(signal);
    return folder.historyStart.id;
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

  defaultBranch(): string {
    return this.#folder.defaultBranch();
  }

  resolve(revision: string, signal: AbortSignal): Promise<string> {
    return this.#resolve(revision, signal);
  }

  async refs(signal: AbortSignal): Promise<readonly StoredRef[]> {
    await this.#folder.prepare();
    return this.#parts.refCommits.list(this.#folder, signal);
  }

  async #resolve(revision: string | undefined, signal: AbortSignal): Promise<string> {
    const place = await this.#place(signal);
    return this.#parts.revisions.resolve({ ...place, revision, namesToSuggest: noNames });
  }
}

/** Each command sorts its lines into a list, in a time that grows as the square of their number. */
const mostMailmapBytes = 256 * 1024;

/** What git can read as a contact; what is odder stays as it is written. */
const contact = /^[^<>\n\0]*<[^<>\n\0]*>$/;

/** Reads what `rev-list --timestamp --parents` prints. */
async function columnsOf(output: AsyncIterable<Buffer>): Promise<CommitColumns> {
  const [hashes, parents]: [Buffer[], Buffer[]] = [[], []];
  const times: number[] = [];
  const parentStarts = [0];
  for await (const lines of linesOf(output)) {
    const commits = lines.map((line) => line.split(' '));
    for (const [time = '', , ...parentHashes] of commits) {
      times.push(secondsOf(time));
      parentStarts.push((parentStarts.at(-1) ?? 0) + parentHashes.length);
    }
    hashes.push(Buffer.from(commits.map(([, hash]) => hash).join(''), 'hex'));
    parents.push(Buffer.from(commits.map((fields) => fields.slice(2).join('')).join(''), 'hex'));
  }
  const all = Buffer.concat(hashes);
  return {
    hashBytes: times.length === 0 ? 20 : all.length / times.length,
    hashes: all,
    times: Float64Array.from(times),
    parentStarts: Uint32Array.from(parentStarts),
    parents: Buffer.concat(parents),
  };
}
