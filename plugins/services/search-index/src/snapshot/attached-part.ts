import {
  DamagedShardError,
  DefinedNames,
  mostBlocks,
  PositionalContent,
  ResidentContent,
  Shard,
} from '@sextant/library-block-index';
import type { Content, DefinedName, Literal, Regex, SearchPlace, Workspace } from '@sextant/library-block-index';
import { BitSet } from '../match/bit-set.ts';
import { Kept } from '../pool/kept.ts';
import { hasKeys } from '../pool/protocol.ts';
import type { ViewPart } from '../pool/protocol.ts';
import { textReader } from '../shards/read-shard.ts';

/** Memory for content that is read from disk, for each search of a shard. */
const cacheBytes = 4 << 20;

/** The files of a shard are not what was written. */
export class DamagedPartError extends Error {
  override readonly name = 'DamagedPartError';
  readonly shard: string;

  constructor(shard: string, cause: DamagedShardError) {
    super(`the index ${shard} is damaged: ${cause.message}`, { cause });
    this.shard = shard;
  }
}

/** A shard, with its content opened for the time of a search. */
export class AttachedPart {
  readonly handle: ViewPart;
  /** The documents that are the text of any file of the view; collected when they are first asked for. */
  everyDocument: BitSet | undefined;
  /** Those of other files that were asked for: filters are kept, and searched again. */
  readonly documentsOf = new WeakMap<BitSet, BitSet>();
  readonly #workspace: Workspace;
  #shard: Shard;
  #names: DefinedNames | undefined;
  readonly #defining = new Kept<BitSet>();

  constructor(workspace: Workspace, handle: ViewPart) {
    this.#workspace = workspace;
    this.handle = handle;
    this.#shard = Shard.attach(workspace, handle.handle);
  }

  /** With its keys as soon as it has any. What is numbered in it stays the same, so who began without goes on. */
  get shard(): Shard {
    if (this.#shard.hasKeys || !hasKeys(this.handle)) return this.#shard;
    const [address = 0, bytes = 0] = this.handle.keyed;
    this.#shard = Shard.attach(this.#workspace, { address, bytes });
    return this.#shard;
  }

  /** Whether its text is in memory, where reading it takes no time. */
  get isInMemory(): boolean {
    return Atomics.load(this.handle.content.address, 0) !== 0;
  }

  /** Whether a line of a document may define a name: while that is not known, one may. */
  mayDefine(document: number, name: DefinedName): boolean {
    return this.#defined?.mayDefine(document, name) ?? true;
  }

  /** The documents of which a line may define one of some names; undefined while that is not known. */
  defining(names: readonly DefinedName[]): BitSet | undefined {
    const defined = this.#defined;
    return (
      defined && this.#defining.find(names.join(' '), () => BitSet.of(defined.defining(names), this.handle.documents))
    );
  }

  get #defined(): DefinedNames | undefined {
    const address = Atomics.load(this.handle.names, 0);
    return address === 0 ? undefined : (this.#names ??= DefinedNames.attach(this.#workspace, address, this.shard));
  }

  /** At most so many of its blocks may have a term: see `mostBlocks` of the block index. */
  mostBlocks(term: Literal | Regex, few?: number): number {
    const text = Atomics.load(this.handle.content.address, 0);
    return mostBlocks({ workspace: this.#workspace, shard: this.shard, text }, term, few);
  }

  /** Does something in the part, whose content is open for as long as that takes. */
  within<T>(work: (place: SearchPlace) => T): T {
    const { place, release } = this.#open();
    try {
      return work(place);
    } catch (error) {
      throw this.#named(error);
    } finally {
      release();
    }
  }

  /** The same in steps; it is closed when they end or nobody wants more of them. */
  *inSteps<Step, T>(work: (place: SearchPlace) => Generator<Step, T>): Generator<Step, T> {
    const { place, release } = this.#open();
    try {
      return yield* work(place);
    } catch (error) {
      throw this.#named(error);
    } finally {
      release();
    }
  }

  #named(error: unknown): unknown {
    return error instanceof DamagedShardError ? new DamagedPartError(this.handle.name, error) : error;
  }

  #open(): { place: SearchPlace; release: () => void } {
    const content = this.#content();
    return { place: { workspace: this.#workspace, shard: this.shard, content }, release: () => content.release() };
  }

  #content(): Content {
    const { content } = this.handle;
    const address = Atomics.load(content.address, 0);
    if (address !== 0) return ResidentContent.attach(this.#workspace, address);
    return new PositionalContent(this.#workspace, this.shard, { read: textReader(content.descriptor), cacheBytes });
  }
}
