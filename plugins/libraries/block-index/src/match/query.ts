import { LimitError, QueryError } from '../errors.ts';
import type { Content, LongLineParts } from '../format/content.ts';
import type { Shard } from '../format/shard.ts';
import { Needle, NO_DOCUMENT } from '../kernel/needle.ts';
import { Candidates } from '../postings/candidates.ts';
import { estimate } from '../postings/plan.ts';
import type { Plan } from '../postings/plan.ts';
import { windowTables } from '../regex/requirements.ts';
import type { Prefilter } from '../regex/requirements.ts';
import { CAPACITY } from '../workspace.ts';
import type { Workspace } from '../workspace.ts';
import { compiledTerm } from './compiled-term.ts';
import type { CompiledRegex, Literal, Regex, Text } from './compiled-term.ts';

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

/** What a search of a shard needs. */
export interface SearchContext extends SearchPlace {
  readonly candidates: Candidates;
  /** Address of the bitmap of allowed documents; 0 if all are allowed. */
  readonly filter: number;
  /** Throws to stop the search. */
  readonly checkpoint: () => void;
}

interface PreparedSearch {
  readonly context: SearchContext;
  readonly compiled: CompiledQuery;
}

/**
 * Compiles a query for the work of a search, and releases the memory of both when the work ends, or its generator is returned. Returns undefined if the
 * index alone shows that nothing matches. Throws QueryError and LimitError.
 */
export function* searching<Step, T>(
  [place, query, { documents, checkpoint = () => undefined }]: readonly [SearchPlace, DocumentQuery, Limits],
  work: (search: PreparedSearch) => Generator<Step, T>,
): Generator<Step, T | undefined> {
  const { workspace, shard } = place;
  if (documents && documents.length < Math.ceil(shard.documents / 8))
    throw new LimitError(`the filter has ${documents.length} bytes for ${shard.documents} documents`);
  const terms: ShardTerm[] = [];
  const compiled = compile(query, place, terms);
  if (compiled.cost === 0) return undefined;
  const owned: (() => void)[] = [() => place.content.forget()];
  try {
    const candidates = new Candidates(workspace, shard);
    owned.push(() => candidates.release());
    const filter = documents ? writeFilter(place, documents) : 0;
    if (filter) owned.push(() => workspace.arena.release(filter));
    return yield* work({ context: { ...place, candidates, filter, checkpoint }, compiled });
  } finally {
    for (const term of terms) term.release();
    for (const release of owned) release();
  }
}

function writeFilter({ workspace }: SearchPlace, documents: Uint8Array): number {
  const filter = workspace.arena.allocate(documents.length);
  workspace.arena.u8.set(documents, filter);
  return filter;
}

/** Adds the terms to `terms`. They take no memory until they are searched. */
function compile(query: DocumentQuery, place: SearchPlace, terms: ShardTerm[]): CompiledQuery {
  if ('and' in query) return compileAnd(query.and, place, terms);
  if ('or' in query) {
    const parts = query.or.map((part) => compile(part, place, terms));
    const [only] = parts;
    if (!only) throw new QueryError('a choice needs at least one part', 0);
    return parts.length === 1 ? only : { kind: 'or', parts, cost: parts.reduce((sum, { cost }) => sum + cost, 0) };
  }
  if ('not' in query)
    throw new QueryError('a negation alone would find everything else; combine it with something to look for', 0);
  if (terms.length === MAX_TERMS) throw new QueryError(`a query has at most ${MAX_TERMS} terms`, 0);
  const term = new ShardTerm(place.workspace, place.shard, query);
  terms.push(term);
  return { kind: 'term', text: query, term, cost: estimate(term.plan, place.shard.blocks) };
}

function compileAnd(queries: readonly DocumentQuery[], place: SearchPlace, terms: ShardTerm[]): CompiledQuery {
  const positive = queries.filter((query) => !('not' in query)).map((query) => compile(query, place, terms));
  const parts = positive.sort((a, b) => a.cost - b.cost);
  const [cheapest] = parts;
  if (!cheapest)
    throw new QueryError('negations alone would find everything else; combine them with something to look for', 0);
  const without = queries.flatMap((query) => ('not' in query ? [compile(query.not, place, terms)] : []));
  return { kind: 'and', parts, without, cost: cheapest.cost };
}

/** A literal or regular expression, compiled for one search in one shard. */
export class ShardTerm {
  readonly plan: Plan;
  readonly wanted: LongLineParts;
  readonly #workspace: Workspace;
  readonly #shard: Shard;
  readonly #what: Text | CompiledRegex;
  #record: Needle | RegexRecord | undefined;

  /** Throws QueryError and LimitError. */
  constructor(workspace: Workspace, shard: Shard, query: Literal | Regex) {
    const { what, planFor } = compiledTerm(query);
    this.plan = planFor(shard);
    this.wanted = 'bytes' in what ? 'literals' : 'lines';
    this.#workspace = workspace;
    this.#shard = shard;
    this.#what = what;
  }

  /** Begins a scan with a line limit (see `Scanner.blocks`). Creates the record only now, because the index often excludes all blocks. */
  begin(lines: number): void {
    const { arena } = this.#workspace;
    this.#record ??=
      'bytes' in this.#what
        ? new Needle(arena).write(this.#what.bytes, this.#what.foldCase)
        : new RegexRecord(this.#workspace, this.#what);
    this.#record.begin(lines);
  }

  /** Scans blocks. Returns the number of records. */
  scan({ ids, count, filter }: { ids: number; count: number; filter: number }): number {
    const { kernel, bases, records } = this.#workspace;
    const scan = this.wanted === 'literals' ? kernel.scanLiteral : kernel.scanRegex;
    return scan(this.#shard.handle.address, ids, count, bases, filter, this.#address, records, CAPACITY);
  }

  /** Scans one document for a literal from a content offset. Returns the number of records. */
  scanDocument({ document, from, base }: { document: number; from: number; base: number }): number {
    const { kernel, records } = this.#workspace;
    return kernel.scanDocument(this.#shard.handle.address, document, from, base, this.#address, records, CAPACITY);
  }

  get #address(): number {
    if (!this.#record) throw new Error('a term is searched before the search has begun');
    return this.#record.address;
  }

  release(): void {
    this.#record?.release();
  }
}

/** Layout of an expression, see assembly/regex.ts. */
const RECORD_BYTES = 100;
const NEEDLES = 16;
const INTERRUPTED = 80;
const LINE_LIMIT = 84;
const EVERY_LINE = 0;
const BY_LITERALS = 1;
const BY_WINDOW = 2;

/** A regular expression in the form that the kernel searches. */
class RegexRecord {
  readonly address: number;
  readonly #workspace: Workspace;
  /** What releases its memory. */
  readonly #owned: (() => void)[] = [];

  constructor(workspace: Workspace, regex: CompiledRegex) {
    const { arena, dfas } = workspace;
    this.#workspace = workspace;
    this.address = this.#allocate(RECORD_BYTES);
    try {
      this.#writePrefilter(regex.prefilter);
      const { forward, backward } = dfas.use(regex);
      this.#owned.push(() => dfas.letGo(regex));
      arena.words(this.address, 2).set([forward, backward]);
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Begins a scan with a line limit (see `Scanner.blocks`). */
  begin(lines: number): void {
    const { arena } = this.#workspace;
    arena.words(this.address + INTERRUPTED, 1).fill(0);
    arena.words(this.address + LINE_LIMIT, 2).set([lines, NO_DOCUMENT]);
  }

  release(): void {
    for (const release of this.#owned) release();
  }

  #allocate(bytes: number): number {
    const { arena } = this.#workspace;
    const address = arena.allocate(bytes);
    this.#owned.push(() => arena.release(address));
    return address;
  }

  #writePrefilter(prefilter: Prefilter): void {
    const { arena } = this.#workspace;
    const how = arena.words(this.address + 8, 2);
    const needles = arena.words(this.address + NEEDLES, 8);
    if (!prefilter) how.set([EVERY_LINE, 0]);
    else if ('literals' in prefilter) {
      how.set([BY_LITERALS, prefilter.literals.length]);
      for (const [i, { bytes, foldCase }] of prefilter.literals.entries()) {
        const needle = new Needle(arena).write(bytes, foldCase);
        this.#owned.push(() => needle.release());
        needles[i] = needle.address;
      }
    } else {
      const tables = windowTables(prefilter.window);
      how.set([BY_WINDOW, 0]);
      needles[0] = this.#allocate(tables.length);
      arena.u8.set(tables, needles[0]);
    }
  }
}
