import { Candidates } from '../postings/candidates.ts';
import type { Content } from '../format/content.ts';
import { LimitError } from '../format/errors.ts';
import { QueryCompiler } from './query.ts';
import type { Query, Step } from './query.ts';
import type { Bench } from './scanner.ts';
import type { Shard } from '../format/shard.ts';
import type { Workspace } from '../kernel/workspace.ts';

/** Where to search: a shard and its content in one workspace. */
export interface SearchPlace {
  readonly workspace: Workspace;
  readonly shard: Shard;
  readonly content: Content;
}

export interface Limits {
  /** Bit d & 7 of byte d >> 3 says that document d may be found; without it all may. */
  readonly documents?: Uint8Array;
  /** Called every few megabytes of text at most; what it throws ends the search. */
  readonly checkpoint?: () => void;
}

/** A query compiled for a place, with the memory that its search needs until it is released. */
export interface Prepared {
  readonly bench: Bench;
  readonly step: Step;
  readonly release: () => void;
}

/** Undefined where the index alone tells that nothing matches. Throws QueryError and LimitError. */
export function prepare(place: SearchPlace, query: Query, { documents, checkpoint }: Limits): Prepared | undefined {
  const { workspace, shard } = place;
  if (documents && documents.length < Math.ceil(shard.documents / 8))
    throw new LimitError(`the filter has ${documents.length} bytes for ${shard.documents} documents`);
  const owned: (() => void)[] = [];
  const release = (): void => {
    for (const each of owned) each();
  };
  try {
    const compiler = new QueryCompiler(workspace, shard);
    owned.push(() => compiler.release());
    const step = compiler.compile(query);
    if (step.cost === 0) {
      release();
      return undefined;
    }
    const candidates = new Candidates(workspace, shard);
    owned.push(() => candidates.release());
    const filter = documents ? writeFilter(place, documents) : 0;
    if (filter) owned.push(() => workspace.arena.release(filter));
    return { bench: { ...place, candidates, filter, checkpoint: checkpoint ?? (() => undefined) }, step, release };
  } catch (error) {
    release();
    throw error;
  }
}

function writeFilter({ workspace }: SearchPlace, documents: Uint8Array): number {
  const filter = workspace.arena.allocate(documents.length);
  workspace.arena.u8.set(documents, filter);
  return filter;
}
