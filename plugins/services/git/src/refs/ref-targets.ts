import { StringDecoder } from 'node:string_decoder';
import { rfc3339, secondsOf } from '@sextant/contracts';
import { isSextantError, messageOf } from '@sextant/core';
import type { CommitReader } from '../objects/commit-reader.ts';
import type { GitFolder } from '../storage/git-folder.ts';
import type { GitProgram } from '../process/git-process.ts';
import { latelyUsed } from '../objects/lately-used.ts';
import type { ObjectReader } from '../objects/object-reader.ts';

/** A ref by its full name, and the hash that it holds. */
export interface RawRef {
  readonly name: string;
  readonly id: string;
}

/** Where a hash leads. */
export interface Target {
  /** Undefined when it leads to no commit. */
  readonly commit: string | undefined;
  /** The object on the way to it that the repository lacks. */
  readonly missing?: string;
  /** RFC 3339 in UTC. */
  readonly date: string;
}

/** The lines of what git prints, those of each piece together: between two pieces others have their turn, however many refs there are. */
export async function* linesOf(output: AsyncIterable<Buffer>): AsyncGenerator<string[], void, void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of output) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield lines;
  }
}

/** A line of `%(refname)%00%(objectname)`. */
export function parseRawRef(line: string): RawRef {
  const [name = '', id = ''] = line.split('\0');
  return { name, id };
}

interface TargetRequest {
  readonly folder: GitFolder;
  readonly signal: AbortSignal;
}

const fields = [
  '%(refname)',
  '%(objecttype)',
  '%(objectname)',
  '%(creatordate:unix)',
  '%(*objecttype)',
  '%(*objectname)',
  '%(*committerdate:unix)',
];
const maxRemembered = 250_000;
/** Refs that are asked of a process of git that is there, one after the other: to start another stops a large server for longer. */
const fewRefs = 4;
/** Refs that are asked for by name; more are asked for all at once. */
const maxNamed = 500;

/** Finds commits and dates behind refs. The commit behind a hash never changes, so a push costs only what is new. */
export class RefTargets {
  readonly #git: GitProgram;
  readonly #objects: ObjectReader;
  readonly #commits: CommitReader;
  readonly #known = latelyUsed<Target>(maxRemembered);

  constructor({ git, objects, commits }: { git: GitProgram; objects: ObjectReader; commits: CommitReader }) {
    this.#git = git;
    this.#objects = objects;
    this.#commits = commits;
  }

  /** By hash. */
  async of(refs: readonly RawRef[], request: TargetRequest): Promise<ReadonlyMap<string, Target>> {
    const key = request.folder.cacheKey();
    const targets = new Map<string, Target>();
    const unknown: RawRef[] = [];
    for (const ref of refs) {
      const target = this.#known.get(key + ref.id);
      if (target) targets.set(ref.id, target);
      else unknown.push(ref);
    }
    if (unknown.length === 0) return targets;
    for await (const [id, target] of this.#read(unknown, request)) {
      targets.set(id, target);
      // What is missing may come back.
      if (target.missing === undefined) this.#known.set(key + id, target);
    }
    return targets;
  }

  async *#read(refs: readonly RawRef[], request: TargetRequest): AsyncGenerator<[string, Target]> {
    const others: RawRef[] = [];
    for (const ref of refs) {
      const target = refs.length > fewRefs ? undefined : await this.#commit(ref.id, request);
      if (target) yield [ref.id, target];
      else others.push(ref);
    }
    if (others.length > 0) yield* this.#list(others, request);
  }

  /** Undefined for a hash that is no commit, and for a missing one: git says what is wrong with that. */
  async #commit(id: string, { folder, signal }: TargetRequest): Promise<Target | undefined> {
    try {
      const { committer } = await this.#commits.read(folder, id, signal);
      return { commit: id, date: committer.date };
    } catch (error) {
      signal.throwIfAborted();
      if (isSextantError(error)) return undefined;
      throw error;
    }
  }

  /** Git lists no ref where the object of one is missing. Then the others are found in smaller and smaller groups. */
  async *#list(refs: readonly RawRef[], request: TargetRequest): AsyncGenerator<[string, Target]> {
    const listed = new Map<string, Target>();
    try {
      for await (const [id, target] of this.#listNow(refs, request)) {
        listed.set(id, target);
        yield [id, target];
      }
    } catch (error) {
      const missing = missingObject(error);
      if (missing === undefined) throw error;
      const left = refs.filter(({ id }) => !listed.has(id));
      const [first] = left;
      if (first && left.length === 1) yield [first.id, { commit: undefined, date: '', missing }];
      else yield* this.#listAround(left, request);
    }
  }

  async *#listAround(refs: readonly RawRef[], request: TargetRequest): AsyncGenerator<[string, Target]> {
    const sizes = await this.#objects.sizes(
      request.folder,
      refs.map(({ id }) => id),
      request.signal,
    );
    for (const [index, { id }] of refs.entries())
      if (sizes[index] === undefined) yield [id, { commit: undefined, date: '', missing: id }];
    const present = refs.filter((_, index) => sizes[index] !== undefined);
    // A tag may be there, and what it names missing.
    const most = Math.min(maxNamed, Math.ceil(present.length / (present.length < refs.length ? 1 : 2)));
    for (let at = 0; at < present.length; at += most) yield* this.#list(present.slice(at, at + most), request);
  }

  async *#listNow(refs: readonly RawRef[], { folder, signal }: TargetRequest): AsyncGenerator<[string, Target]> {
    const patterns = patternsOf(refs.map(({ name }) => name));
    const args = ['for-each-ref', `--format=${fields.join('%00')}`, '--', ...patterns];
    for await (const lines of linesOf(this.#git.stream({ gitFolder: folder.path, args, signal })))
      for (const line of lines) yield await this.#targetOf(line, { folder, signal });
  }

  async #targetOf(line: string, { folder, signal }: TargetRequest): Promise<[string, Target]> {
    const [name = '', type, id = '', date = '', peeledType, peeledId, peeledDate = ''] = line.split('\0');
    const peeled = peeledType === 'commit' ? peeledId : undefined;
    // A tag of a tag: git before 2.45 looks behind the first only.
    const commit = type === 'commit' ? id : peeledType === 'tag' ? await this.#peel(name, { folder, signal }) : peeled;
    return [id, { commit, date: rfc3339(secondsOf(date || peeledDate)) }];
  }

  async #peel(name: string, { folder, signal }: TargetRequest): Promise<string | undefined> {
    const object = await this.#objects.info(folder, `${name}^{commit}`, signal);
    return object === undefined || object === 'ambiguous' ? undefined : object.id;
  }
}

/** The object that git lacks; undefined where another thing is wrong. */
function missingObject(error: unknown): string | undefined {
  const said = isSextantError(error) ? messageOf(error.cause) : '';
  return /missing object ([0-9a-f]{40,64}) for refs\//.exec(said)?.[1];
}

/** A name that is not UTF-8 cannot be asked for: then its folder is. */
function patternsOf(names: readonly string[]): readonly string[] {
  if (names.length <= maxNamed && !names.some((name) => name.includes('\ufffd'))) return names;
  return [...new Set(names.map((name) => name.split('/', 2).join('/')))];
}
