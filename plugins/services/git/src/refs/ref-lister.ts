import type { Ref, RefFilter, RefList, RefType, StoredRef } from '@sextant/contracts';
import { SextantError, isSextantError, messageOf, oneLine } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import type { GitProgram } from '../process/git-process.ts';
import { signatureOf } from '../storage/file-signature.ts';
import type { GitFolder } from '../storage/git-folder.ts';
import { filesOfAllRefs } from './ref-files.ts';
import { linesOf, parseRawRef } from './ref-targets.ts';
import type { RawRef, RefTargets, Target } from './ref-targets.ts';

export interface RefRequest {
  readonly folder: GitFolder;
  /** `containsCommit` is a full hash here. */
  readonly filter: RefFilter;
  readonly signal: AbortSignal;
}

const folders: Record<RefType, string> = { branch: 'refs/heads/', tag: 'refs/tags/' };

/** Lists branches and tags that lead to commits. A list is remembered for as long as no ref changes. */
export class RefLister {
  readonly #git: GitProgram;
  readonly #targets: RefTargets;
  readonly #known = new RefMemory<Ref>(['refs/heads', 'refs/tags']);

  constructor(git: GitProgram, targets: RefTargets) {
    this.#git = git;
    this.#targets = targets;
  }

  async list(request: RefRequest): Promise<RefList> {
    const { types, limit } = request.filter;
    const refs = (await this.#all(request)).filter(({ type }) => types.includes(type));
    return { refs: refs.slice(0, limit), hasMore: refs.length > limit };
  }

  async #all(request: RefRequest): Promise<readonly Ref[]> {
    if (request.filter.containsCommit !== undefined) return request.folder.steadily(() => this.#read(request));
    return this.#known.list(request.folder, () => this.#read(request));
  }

  async #read(request: RefRequest): Promise<readonly Ref[]> {
    const { folder, filter, signal } = request;
    const contains = filter.containsCommit === undefined ? [] : [`--contains=${filter.containsCommit}`];
    const args = ['for-each-ref', '--format=%(refname)%00%(objectname)', ...contains, ...Object.values(folders)];
    const output = this.#git.stream({ gitFolder: folder.path, args, signal });
    const raw: RawRef[] = [];
    for await (const lines of linesOf(output)) raw.push(...lines.map(parseRawRef));
    const targets = await this.#targets.of(raw, request).catch((error: unknown) => {
      throw brokenRef(error) ?? error;
    });
    const head = folder.headRef();
    return raw.flatMap((ref) => refOf(ref, targets.get(ref.id), head)).sort(byRelevance);
  }
}

/** Where git names the ref whose object is missing, who asks is told. */
function brokenRef(error: unknown): SextantError | undefined {
  const said = isSextantError(error) ? messageOf(error.cause) : '';
  const [, id, name] = /missing object ([0-9a-f]{40,64}) for (refs\/\S+)/.exec(said) ?? [];
  if (id === undefined || name === undefined) return undefined;
  return new SextantError(
    'unavailable',
    `the refs cannot be listed: ${oneLine(name)} names object ${id}, which the repository lacks; revisions can still be named one by one, and whoever maintains the repository can remove that ref`,
    { cause: error },
  );
}

/** Nothing for a tag that leads to no commit, or that moved while we looked. */
function refOf({ name }: RawRef, target: Target | undefined, head: string | undefined): Ref[] {
  if (target?.commit === undefined) return [];
  const type = name.startsWith(folders.tag) ? 'tag' : 'branch';
  return [
    {
      name: name.slice(folders[type].length),
      type,
      commit: target.commit,
      isDefault: name === head,
      date: target.date,
    },
  ];
}

function byRelevance(a: Ref, b: Ref): number {
  if (a.isDefault !== b.isDefault) return a.isDefault ? -1 : 1;
  if (a.date !== b.date) return a.date > b.date ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

interface Remembered<T> {
  readonly items: readonly T[];
  readonly files: readonly string[];
  readonly signature: string;
}

/** More than a repository has by default. */
const maxItems = 250_000;

/** Refs below some folders, cached while none of these folders changes. */
export class RefMemory<T> {
  readonly #under: readonly string[];
  readonly #lists = new LRUCache<string, Remembered<T>>({
    maxSize: maxItems,
    sizeCalculation: ({ items }) => items.length + 1,
  });

  /** `under`: folders of refs, such as `refs/heads`. */
  constructor(under: readonly string[]) {
    this.#under = under;
  }

  /** The same list as before while no ref has changed. */
  async list(folder: GitFolder, read: () => Promise<readonly T[]>): Promise<readonly T[]> {
    const key = folder.cacheKey();
    const known = this.#lists.get(key);
    if (known && signatureOf(known.files).text === known.signature) return known.items;
    const { items, files, signature } = await folder.steadily(async () => {
      // Taken before git looks: a change in between makes it differ afterwards.
      const before = filesOfAllRefs(folder, this.#under);
      return { files: before, signature: before && signatureOf(before), items: await read() };
    });
    if (files && signature?.isSettled) this.#lists.set(key, { items, files, signature: signature.text });
    return items;
  }
}

/** Finds the commits of all refs, whatever they are called. */
export class RefCommits {
  readonly #git: GitProgram;
  readonly #targets: RefTargets;
  readonly #known = new RefMemory<StoredRef>(['refs']);

  constructor(git: GitProgram, targets: RefTargets) {
    this.#git = git;
    this.#targets = targets;
  }

  list(folder: GitFolder, signal: AbortSignal): Promise<readonly StoredRef[]> {
    return this.#known.list(folder, () => this.#read(folder, signal));
  }

  async #read(folder: GitFolder, signal: AbortSignal): Promise<readonly StoredRef[]> {
    const args = ['for-each-ref', '--format=%(refname)%00%(objectname)'];
    const output = this.#git.stream({ gitFolder: folder.path, args, signal });
    const refs: RawRef[] = [];
    for await (const lines of linesOf(output)) refs.push(...lines.map(parseRawRef));
    const targets = await this.#targets.of(refs, { folder, signal });
    return refs.flatMap(({ name, id }) => {
      const commit = targets.get(id)?.commit;
      return commit === undefined ? [] : [{ name, commit }];
    });
  }
}
