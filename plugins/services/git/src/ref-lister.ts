import type { Ref, RefFilter, RefList, RefType } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';
import type { GitFolder } from './git-folder.ts';
import type { GitProgram } from './git-process.ts';
import type { ObjectReader } from './object-reader.ts';
import { signatureOf } from './file-signature.ts';
import { filesOfAllRefs } from './ref-files.ts';

const fields = [
  '%(refname)',
  '%(objecttype)',
  '%(objectname)',
  '%(creatordate:unix)',
  '%(*objecttype)',
  '%(*objectname)',
  '%(*committerdate:unix)',
];
const maxOutputBytes = 256 * 1024 * 1024;
const maxRemembered = 400_000;
const folders: Record<RefType, string> = { branch: 'refs/heads/', tag: 'refs/tags/' };

export interface RefRequest {
  readonly folder: GitFolder;
  readonly filter: Omit<RefFilter, 'containsCommit'> & { readonly containsCommit?: string };
  readonly signal: AbortSignal;
}

/** Lists branches and tags that lead to commits. A list is remembered for as long as no ref changes. */
export class RefLister {
  readonly #git: GitProgram;
  readonly #objects: ObjectReader;
  readonly #lists = new LRUCache<string, { refs: readonly Ref[]; files: readonly string[]; signature: string }>({
    maxSize: maxRemembered,
    sizeCalculation: ({ refs }) => refs.length + 1,
  });

  constructor(git: GitProgram, objects: ObjectReader) {
    this.#git = git;
    this.#objects = objects;
  }

  /** `containsCommit` is a full hash here. */
  async list(request: RefRequest): Promise<RefList> {
    const { types, limit } = request.filter;
    const refs = (await this.#all(request)).filter(({ type }) => types.includes(type));
    return { refs: refs.slice(0, limit), hasMore: refs.length > limit };
  }

  async #all(request: RefRequest): Promise<readonly Ref[]> {
    const { folder, filter } = request;
    if (filter.containsCommit !== undefined) return this.#read(request);
    const key = folder.cacheKey() + folder.path;
    const known = this.#lists.get(key);
    if (known && signatureOf(known.files).text === known.signature) return known.refs;
    const files = filesOfAllRefs(folder);
    const signature = files && signatureOf(files);
    const refs = await this.#read(request);
    if (files && signature?.isSettled) this.#lists.set(key, { refs, files, signature: signature.text });
    return refs;
  }

  async #read({ folder, filter, signal }: RefRequest): Promise<readonly Ref[]> {
    const contains = filter.containsCommit === undefined ? [] : [`--contains=${filter.containsCommit}`];
    const args = ['for-each-ref', `--format=${fields.join('%00')}`, ...contains, ...Object.values(folders)];
    const output = await this.#git.run({ gitFolder: folder.path, args, signal }, maxOutputBytes);
    const head = folder.headRef();
    const refs: Ref[] = [];
    for (const line of output.toString().split('\n')) {
      const ref = line === '' ? undefined : parseRef(line, head);
      if (ref?.commit === '') await this.#peel(folder, ref, { refs, signal });
      else if (ref) refs.push(ref);
    }
    return refs.sort(byRelevance);
  }

  /** A tag of a tag: git before 2.45 looks behind the first only. */
  async #peel(folder: GitFolder, ref: Ref, { refs, signal }: { refs: Ref[]; signal: AbortSignal }): Promise<void> {
    const object = await this.#objects.info(folder, `${folders[ref.type]}${ref.name}^{commit}`, signal);
    if (object !== undefined && object !== 'ambiguous') refs.push({ ...ref, commit: object.id });
  }
}

/** Undefined for a tag that leads to no commit; without commit for a tag of a tag. */
function parseRef(line: string, head: string | undefined): Ref | undefined {
  const [refName = '', type, id = '', date = '', peeledType, peeledId = '', peeledDate = ''] = line.split('\0');
  const isTag = refName.startsWith(folders.tag);
  const commit = type === 'commit' ? id : peeledType === 'commit' ? peeledId : '';
  if (commit === '' && peeledType !== 'tag') return undefined;
  return {
    name: refName.slice((isTag ? folders.tag : folders.branch).length),
    type: isTag ? 'tag' : 'branch',
    commit,
    isDefault: refName === head,
    date: new Date(Number(date || peeledDate) * 1000).toISOString().replace('.000Z', 'Z'),
  };
}

function byRelevance(a: Ref, b: Ref): number {
  if (a.isDefault !== b.isDefault) return a.isDefault ? -1 : 1;
  if (a.date !== b.date) return a.date > b.date ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
