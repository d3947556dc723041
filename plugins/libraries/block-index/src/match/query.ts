import { LimitError, QueryError } from '../errors.ts';
import type { Content } from '../format/content.ts';
import type { Shard } from '../format/shard.ts';
import { Candidates } from '../postings/candidates.ts';
import type { Workspace } from '../workspace.ts';
import { blocksOf } from './compiled-term.ts';
import type { Literal, Regex } from './compiled-term.ts';
import type { Bench } from './scanner.ts';
import { compileTerm } from './term.ts';
import type { Term } from './term.ts';

/** Documents that match; a negation may stand only beside something else in an `and`. */
export type Query =
  | Literal
  | Regex
  | { readonly and: readonly Query[] }
  | { readonly or: readonly Query[] }
  | { readonly not: Query };

/** A query compiled for one shard. `cost` is the number of blocks that may match. */
export type Step =
  | { readonly kind: 'term'; readonly text: Literal | Regex; readonly term: Term; readonly cost: number }
  | { readonly kind: 'or'; readonly parts: readonly Step[]; readonly cost: number }
  /** Cheapest first. */
  | { readonly kind: 'and'; readonly parts: readonly Step[]; readonly without: readonly Step[]; readonly cost: number };

export const MAX_TERMS = 256;

/** Compiles queries and keeps what they hold in memory. */
class QueryCompiler {
  readonly #workspace: Workspace;
  readonly #shard: Shard;
  readonly #terms: Term[] = [];

  constructor(workspace: Workspace, shard: Shard) {
    this.#workspace = workspace;
    this.#shard = shard;
  }

  /** Throws QueryError and LimitError. */
  compile(query: Query): Step {
    if ('and' in query) return this.#and(query.and);
    if ('or' in query) return this.#or(query.or);
    if ('not' in query)
      throw new QueryError('a negation alone would find everything else; combine it with something to look for', 0);
    return this.#term(query);
  }

  release(): void {
    for (const term of this.#terms) term.release();
  }

  #term(query: Literal | Regex): Step {
    if (this.#terms.length === MAX_TERMS) throw new QueryError(`a query has at most ${MAX_TERMS} terms`, 0);
    const term = compileTerm(this.#workspace, this.#shard, query);
    this.#terms.push(term);
    return { kind: 'term', text: query, term, cost: blocksOf(term, this.#shard) };
  }

  #or(queries: readonly Query[]): Step {
    const parts = queries.map((query) => this.compile(query));
    const [only] = parts;
    if (!only) throw new QueryError('a choice needs at least one part', 0);
    if (parts.length === 1) return only;
    return { kind: 'or', parts, cost: parts.reduce((sum, { cost }) => sum + cost, 0) };
  }

  #and(queries: readonly Query[]): Step {
    const parts = queries
      .filter((query) => !('not' in query))
      .map((query) => this.compile(query))
      .sort((a, b) => a.cost - b.cost);
    const [cheapest] = parts;
    if (!cheapest)
      throw new QueryError('negations alone would find everything else; combine them with something to look for', 0);
    const without = queries.flatMap((query) => ('not' in query ? [this.compile(query.not)] : []));
    return { kind: 'and', parts, without, cost: cheapest.cost };
  }
}

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
interface Prepared {
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
