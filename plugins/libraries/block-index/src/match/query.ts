import { LimitError, QueryError } from '../errors.ts';
import type { Content } from '../format/content.ts';
import type { Shard } from '../format/shard.ts';
import { Candidates } from '../postings/candidates.ts';
import type { Workspace } from '../workspace.ts';
import { blocksOf } from './compiled-term.ts';
import type { Literal, Regex } from './compiled-term.ts';
import type { SearchContext } from './scanner.ts';
import { compileTerm } from './term.ts';
import type { ShardTerm } from './term.ts';

/** A query for documents. A negation is only allowed beside something else in an `and`. */
export type DocumentQuery =
  | Literal
  | Regex
  | { readonly and: readonly DocumentQuery[] }
  | { readonly or: readonly DocumentQuery[] }
  | { readonly not: DocumentQuery };

/** A query compiled for one shard. `cost` is an upper bound of the blocks that may match. */
export type CompiledQuery =
  | { readonly kind: 'term'; readonly text: Literal | Regex; readonly term: ShardTerm; readonly cost: number }
  | { readonly kind: 'or'; readonly parts: readonly CompiledQuery[]; readonly cost: number }
  /** `parts` has the cheapest first. */
  | {
      readonly kind: 'and';
      readonly parts: readonly CompiledQuery[];
      readonly without: readonly CompiledQuery[];
      readonly cost: number;
    };

/** Maximum number of terms of a query. */
export const MAX_TERMS = 256;

/** Compiles queries and owns the memory of their terms. */
class QueryCompiler {
  readonly #workspace: Workspace;
  readonly #shard: Shard;
  readonly #terms: ShardTerm[] = [];

  constructor(workspace: Workspace, shard: Shard) {
    this.#workspace = workspace;
    this.#shard = shard;
  }

  /** Throws QueryError and LimitError. */
  compile(query: DocumentQuery): CompiledQuery {
    if ('and' in query) return this.#and(query.and);
    if ('or' in query) return this.#or(query.or);
    if ('not' in query)
      throw new QueryError('a negation alone would find everything else; combine it with something to look for', 0);
    return this.#term(query);
  }

  release(): void {
    for (const term of this.#terms) term.release();
  }

  #term(query: Literal | Regex): CompiledQuery {
    if (this.#terms.length === MAX_TERMS) throw new QueryError(`a query has at most ${MAX_TERMS} terms`, 0);
    const term = compileTerm(this.#workspace, this.#shard, query);
    this.#terms.push(term);
    return { kind: 'term', text: query, term, cost: blocksOf(term, this.#shard) };
  }

  #or(queries: readonly DocumentQuery[]): CompiledQuery {
    const parts = queries.map((query) => this.compile(query));
    const [only] = parts;
    if (!only) throw new QueryError('a choice needs at least one part', 0);
    if (parts.length === 1) return only;
    return { kind: 'or', parts, cost: parts.reduce((sum, { cost }) => sum + cost, 0) };
  }

  #and(queries: readonly DocumentQuery[]): CompiledQuery {
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

/** A shard and its content in a workspace. */
export interface SearchPlace {
  readonly workspace: Workspace;
  readonly shard: Shard;
  readonly content: Content;
}

export interface Limits {
  /** A bitmap of the documents that may be found (bit d & 7 of byte d >> 3); absent if all may. */
  readonly documents?: Uint8Array;
  /** Called at least every few megabytes of text. What it throws ends the search. */
  readonly checkpoint?: () => void;
}

/** A compiled query and the memory of its search, until it is released. */
interface Prepared {
  readonly context: SearchContext;
  readonly compiled: CompiledQuery;
  readonly release: () => void;
}

/** Compiles a query. Undefined if the index alone shows that nothing matches. Throws QueryError and LimitError. */
export function prepare(
  place: SearchPlace,
  query: DocumentQuery,
  { documents, checkpoint }: Limits,
): Prepared | undefined {
  const { workspace, shard } = place;
  if (documents && documents.length < Math.ceil(shard.documents / 8))
    throw new LimitError(`the filter has ${documents.length} bytes for ${shard.documents} documents`);
  const owned: (() => void)[] = [() => place.content.forget()];
  const release = (): void => {
    for (const each of owned) each();
  };
  try {
    const compiler = new QueryCompiler(workspace, shard);
    owned.push(() => compiler.release());
    const compiled = compiler.compile(query);
    if (compiled.cost === 0) {
      release();
      return undefined;
    }
    const candidates = new Candidates(workspace, shard);
    owned.push(() => candidates.release());
    const filter = documents ? writeFilter(place, documents) : 0;
    if (filter) owned.push(() => workspace.arena.release(filter));
    return {
      context: { ...place, candidates, filter, checkpoint: checkpoint ?? (() => undefined) },
      compiled,
      release,
    };
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
