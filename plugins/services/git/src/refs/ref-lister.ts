import type { Ref, RefFilter, RefList, RefType, StoredRef } from '@sextant/contracts';
import { SextantError, oneLine } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import type { GitProgram } from '../process/git-process.ts';
import { signatureOf } from '../storage/file-signature.ts';
import { maxRevision } from '../storage/git-folder.ts';
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
  readonly #known = new RefMemory<FoundRef>(['refs/heads', 'refs/tags']);

  constructor(git: GitProgram, targets: RefTargets) {
    this.#git = git;
    this.#targets = targets;
  }

  /** Refs that lead to a missing object, and those whose names nobody can ask for, are left out and told in notes. */
  async list(request: RefRequest): Promise<RefList> {
    const { types, limit, containsCommit } = request.filter;
    const unread: string[] = [];
    const all =
      containsCommit === undefined
        ? await this.#known.list(request.folder, () => this.#read(request, unread))
        : await request.folder.steadily(() => this.#read(request, unread));
    const wanted = all.filter(({ ref }) => types.includes(ref.type));
    const found = wanted.filter(({ ref }) => ref.name.length <= maxRevision);
    const refs = found.flatMap(({ ref, missing }) => (missing === undefined ? ref : []));
    const isCut = containsCommit !== undefined && request.folder.historyStart.id !== '';
    const notes = [
      ...missingNotes(found),
      ...longNotes(wanted.length - found.length),
      ...unreadNotes(unread),
      ...(isCut ? [cutNote] : []),
    ];
    return { refs: refs.slice(0, limit), hasMore: refs.length > limit, ...(notes.length > 0 && { notes }) };
  }

  /** `unread` gets objects that git could not read on the way to a commit. */
  async #read({ folder, filter, signal }: RefRequest, unread: string[]): Promise<readonly FoundRef[]> {
    const contains = filter.containsCommit === undefined ? [] : [`--contains=${filter.containsCommit}`];
    const args = ['for-each-ref', '--format=%(refname)%00%(objectname)', ...contains, ...Object.values(folders)];
    const onWarnings = (warnings: string): void =>
      void unread.push(...Array.from(warnings.matchAll(unreadObject), ([, id = '']) => id));
    const output = this.#git.stream({ gitFolder: folder.path, args, signal, onWarnings });
    const raw: RawRef[] = [];
    for await (const lines of linesOf(output)) raw.push(...lines.map(parseRawRef));
    const targets = await this.#targets.of(raw, { folder, signal });
    const head = folder.headRef();
    return raw.flatMap((ref) => foundRef(ref, targets.get(ref.id), head)).sort((a, b) => byRelevance(a.ref, b.ref));
  }
}

/** A ref, and the object behind it if the repository lacks that. */
interface FoundRef {
  readonly ref: Ref;
  readonly missing?: string;
}

const unreadObject = /Could not read ([0-9a-f]{40,64})/g;
/** Refs and objects in one note. */
const mostNamed = 5;

function missingNotes(found: readonly FoundRef[]): string[] {
  const broken = found.flatMap(({ ref, missing }) =>
    missing === undefined ? [] : `${ref.type} ${oneLine(ref.name)} (object ${missing})`,
  );
  if (broken.length === 0) return [];
  return [
    `${broken.length === 1 ? 'One ref is' : `${broken.length} refs are`} left out, because the repository lacks what it names: ${firstOf(broken)}. Whoever maintains the repository can fetch it again or remove that ref.`,
  ];
}

const cutNote =
  'Refs may be left out: the server has only the later part of the history (a shallow clone), and what lies before was not looked at.';

const longNotes = (count: number): string[] =>
  count === 0
    ? []
    : [
        `${count === 1 ? 'One ref is' : `${count} refs are`} left out: a name of over ${maxRevision} characters is no revision.`,
      ];

function unreadNotes(unread: readonly string[]): string[] {
  const objects = [...new Set(unread)];
  if (objects.length === 0) return [];
  return [
    `Refs may be left out: the repository lacks ${objects.length === 1 ? 'object' : 'objects'} ${firstOf(objects)}, and what lies behind it was not looked at.`,
  ];
}

const firstOf = (names: readonly string[]): string =>
  names.slice(0, mostNamed).join(', ') + (names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '');

/** Nothing for a tag that leads to no commit, or that moved while we looked. */
function foundRef({ name }: RawRef, target: Target | undefined, head: string | undefined): FoundRef[] {
  const { commit = target?.missing, date = '', missing } = target ?? {};
  if (commit === undefined) return [];
  const type = name.startsWith(folders.tag) ? 'tag' : 'branch';
  const ref = { name: name.slice(folders[type].length), type, commit, isDefault: name === head, date } as const;
  return [{ ref, ...(missing !== undefined && { missing }) }];
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
      const { commit, missing } = targets.get(id) ?? {};
      if (missing !== undefined) throw brokenRef(name, missing);
      return commit === undefined ? [] : [{ name, commit }];
    });
  }
}

function brokenRef(name: string, id: string): SextantError {
  const text = `the refs cannot be listed: ${oneLine(name)} leads to object ${id}, which the repository lacks`;
  return new SextantError('unavailable', text, { cause: new Error(`missing object ${id} for ${name}`) });
}
