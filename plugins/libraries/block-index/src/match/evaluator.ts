import { LimitError } from '../errors.ts';
import type { Plan } from '../postings/plan.ts';
import { CAPACITY, WINDOW } from '../workspace.ts';
import type { Literal, Regex } from './compiled-term.ts';
import { Matches } from './matches.ts';
import type { CompiledQuery, SearchContext, ShardTerm } from './query.ts';

/** Flag of a line limit: further lines are not counted, it is enough to know that there are some. */
export const UNCOUNTED = 0x4000_0000;
/** A line limit: all matches of all lines. */
export const EVERY_LINE = 0xffff_ffff;
/** A line limit: all lines, of each the first eight matches, and then up to 64 that are whole words. */
export const WORDS_OF_LINES = 0x2fff_ffff;
/** The same, and a literal matches only as a whole word. */
export const WHOLE_WORDS = 0x3fff_ffff;
/** A line limit: one line of each document. */
export const ANY_LINE = 1 | UNCOUNTED;

/** Blocks [from, to), ending at document borders. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

type Conjunction = Extract<CompiledQuery, { kind: 'and' }>;

/** Maximum number of matches that are held in memory. */
const MAX_MATCHES = 4_000_000;

/** Documents have too many matches to hold at once. Use fewer. */
class Overflow extends Error {}

/** Evaluates a compiled query. All sets of documents are ascending, and their blocks fit into a window. */
export class DocumentEvaluator {
  readonly context: SearchContext;
  readonly #scanner: Scanner;
  /** Line limit of each document. Further lines are counted, see `Matches.counted`. */
  lines: number = EVERY_LINE;
  /** Terms that are found as whole words only. */
  wholeWords: ReadonlySet<Literal | Regex> | undefined;

  constructor(context: SearchContext) {
    this.context = context;
    this.#scanner = new Scanner(context);
  }

  /** Yields the matches of one term in a window. A result is valid until the next one. */
  term(term: ShardTerm, window: Window): Generator<Matches> {
    if (term.plan.kind === 'lines') return this.#scanner.documents(term, this.documentsOf(term.plan, window));
    const candidates = this.#allowed(this.context.candidates.fill(term.plan, window.from, window.to));
    return this.#scanner.blocks(term, candidates, this.lines);
  }

  /** The matches of a query in some documents. Throws Overflow. */
  matches(compiled: CompiledQuery, documents: Uint32Array): Matches {
    if (documents.length === 0) return new Matches();
    switch (compiled.kind) {
      case 'term':
        return this.#termMatches(compiled.term, documents, this.#linesOf(compiled.text));
      case 'or':
        return Matches.merge(compiled.parts.map((part) => this.matches(part, documents)));
      case 'and':
        return this.#exclude(compiled, this.#commonMatches(compiled, documents));
    }
  }

  #linesOf(text: Literal | Regex): number {
    return this.lines === WORDS_OF_LINES && this.wholeWords?.has(text) ? WHOLE_WORDS : this.lines;
  }

  #termMatches(term: ShardTerm, documents: Uint32Array, lines: number): Matches {
    if (term.plan.kind === 'lines')
      return this.#gather(this.#scanner.documents(term, this.#narrow(term.plan, documents)), documents);
    const count = this.context.candidates.keep(term.plan, this.#writeBlocks(documents));
    return this.#gather(this.#scanner.blocks(term, count, lines), documents);
  }

  /** Collects the matches in some documents. Throws Overflow. */
  #gather(parts: Generator<Matches>, documents: Uint32Array): Matches {
    const found: Matches[] = [];
    let count = 0;
    for (const part of parts) {
      count += part.length;
      if (count > MAX_MATCHES) throw new Overflow();
      found.push(part.within(documents).copy());
    }
    return Matches.concat(found);
  }

  /** The matches in documents that match all parts, the cheapest first. */
  #commonMatches({ parts }: Conjunction, documents: Uint32Array): Matches {
    let common = documents;
    const found: Matches[] = [];
    for (const part of parts) {
      const matches = this.matches(part, common);
      common = matches.documents();
      if (common.length === 0) return new Matches();
      found.push(matches);
    }
    return Matches.merge(found.map((matches) => matches.within(common)));
  }

  /** Removes the documents that match a negated part. */
  #exclude({ without }: Conjunction, all: Matches): Matches {
    if (without.length === 0) return all;
    let left = all.documents();
    for (const part of without) {
      const excluded = new Set(this.#matching(part, left));
      left = left.filter((document) => !excluded.has(document));
    }
    return all.within(left);
  }

  /** The documents, among some, that match. */
  #matching(compiled: CompiledQuery, documents: Uint32Array): Uint32Array {
    if (compiled.kind !== 'term') return this.matches(compiled, documents).documents();
    return this.#termMatches(compiled.term, documents, ANY_LINE).documents();
  }

  /** The documents of the window, or among some, that may match by the index alone. */
  candidates(compiled: CompiledQuery, window: Window, documents?: Uint32Array): Uint32Array {
    switch (compiled.kind) {
      case 'and':
        return (
          compiled.parts.reduce<Uint32Array | undefined>(
            (left, part) => this.candidates(part, window, left),
            documents,
          ) ?? new Uint32Array()
        );
      case 'or':
        return union(compiled.parts.map((part) => this.candidates(part, window, documents)));
      case 'term': {
        const { plan } = compiled.term;
        return documents ? this.#narrow(plan, documents) : this.documentsOf(plan, window);
      }
    }
  }

  /** The documents of the window with text in the blocks of a plan. */
  documentsOf(plan: Plan, window: Window): Uint32Array {
    if (plan.kind === 'lines') {
      const [first = { kind: 'every' as const }, ...parts] = plan.parts;
      return this.#narrow({ kind: 'lines', parts }, this.documentsOf(first, window));
    }
    return this.#takeDocuments(this.context.candidates.fill(plan, window.from, window.to));
  }

  #narrow(plan: Plan, documents: Uint32Array): Uint32Array {
    if (plan.kind === 'every' || documents.length === 0) return documents;
    if (plan.kind === 'lines') return plan.parts.reduce((left, part) => this.#narrow(part, left), documents);
    return intersection(
      documents,
      this.#takeDocuments(this.context.candidates.keep(plan, this.#writeBlocks(documents))),
    );
  }

  /** The allowed documents of the first `count` candidates. */
  #takeDocuments(count: number): Uint32Array {
    const {
      candidates,
      filter,
      shard,
      workspace: { arena, kernel, records },
    } = this.context;
    const take = (out: number, capacity: number): number =>
      kernel.documentsOf(shard.handle.address, candidates.ids, count, filter, out, capacity);
    const room = CAPACITY; // records are not in use now, and larger
    const found = take(records, room);
    if (found <= room) return arena.words(records, found).slice();
    const out = arena.allocate(found * 4);
    take(out, found);
    const documents = arena.words(out, found).slice();
    arena.release(out);
    return documents;
  }

  /** Sets the candidates to the blocks of some documents. Returns their number. */
  #writeBlocks(documents: Uint32Array): number {
    const { candidates, shard } = this.context;
    let count = 0;
    let next = 0;
    for (const document of documents) {
      const { from, to } = shard.documentBlocks(document);
      for (let block = Math.max(from, next); block < to; block++) candidates.put(count++, block);
      next = Math.max(next, to);
    }
    return count;
  }

  #allowed(count: number): number {
    const { candidates, filter, shard, workspace } = this.context;
    return filter ? workspace.kernel.allowedBlocks(shard.handle.address, candidates.ids, count, filter) : count;
  }
}

/** The numbers in both ascending lists. */
function intersection(a: Uint32Array, b: Uint32Array): Uint32Array {
  let i = 0;
  return a.filter((number) => {
    while (i < b.length && (b[i] ?? 0) < number) i++;
    return b[i] === number;
  });
}

/** The numbers in any of the ascending lists, each once. */
function union(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let size = 0;
  for (const part of parts) {
    all.set(part, size);
    size += part.length;
  }
  return all.sort().filter((number, i) => i === 0 || number !== all[i - 1]);
}

/** A compiled query and what evaluates it. */
export interface CompiledSearch {
  readonly compiled: CompiledQuery;
  readonly evaluator: DocumentEvaluator;
}

/** Divides the shard into windows of about `most` blocks, which end at document borders. The largest document fits into the other half of WINDOW. */
export function* windows({ shard }: SearchContext, most = WINDOW / 2): Generator<Window> {
  for (let from = 0; from < shard.blocks; ) {
    const to = shard.documentBorder(Math.min(shard.blocks, from + most));
    yield { from, to };
    from = to;
  }
}

/** Divides ascending documents into steps of at most so many blocks, or of one larger document. */
export function* steps({ shard }: SearchContext, documents: Uint32Array, mostBlocks: number): Generator<Uint32Array> {
  for (let from = 0, to = 0; from < documents.length; from = to) {
    for (let blocks = 0; to < documents.length; to++) {
      const range = shard.documentBlocks(documents[to] ?? 0);
      blocks += range.to - range.from;
      if (blocks > mostBlocks && to > from) break;
    }
    yield documents.subarray(from, to);
  }
}

/** The matches in some documents, halved until they fit into a window and into memory. */
export function* matchesOfDocuments(compiledSearch: CompiledSearch, documents: Uint32Array): Generator<Matches> {
  const { evaluator, compiled } = compiledSearch;
  const { shard } = evaluator.context;
  const { from } = shard.documentBlocks(documents[0] ?? 0);
  const { to } = shard.documentBlocks(documents.at(-1) ?? 0);
  try {
    if (to - from > WINDOW) throw new Overflow();
    yield evaluator.matches(compiled, documents);
  } catch (error) {
    if (!(error instanceof Overflow)) throw error;
    if (documents.length < 2) throw tooMany(error);
    const middle = documents.length >> 1;
    yield* matchesOfDocuments(compiledSearch, documents.subarray(0, middle));
    yield* matchesOfDocuments(compiledSearch, documents.subarray(middle));
  }
}

const tooMany = (cause: Overflow): LimitError =>
  new LimitError('a document has too many matches to combine; search for something rarer', { cause });

/** Blocks of the first batch, because a search may stop early. */
const FIRST_BATCH = 32;
/** Maximum blocks of a batch, which takes about a millisecond. Other searches may run between batches. Lines take longer than literals. */
const MAX_BATCH = { lines: 96, literals: 512 } as const;
const FIELDS = 6;

/** Scans text for the matches of one term. */
export class Scanner {
  readonly #context: SearchContext;

  constructor(context: SearchContext) {
    this.#context = context;
  }

  /**
   * Yields the matches in the first `count` candidates. `lines` says in how many lines of a document matches are written, or is one of the constants
   * above; further lines are counted. A result is valid until the next one, or until another search continues.
   * Between two results others may use the workspace, but not these candidates.
   */
  *blocks(term: ShardTerm, count: number, lines: number): Generator<Matches> {
    const { candidates, content, filter } = this.#context;
    if (count > 0) term.begin(lines);
    const most = MAX_BATCH[term.wanted];
    for (let done = 0, size = FIRST_BATCH; done < count; size = Math.min(most, size * 2)) {
      const ids = candidates.ids + done * 4;
      this.#check();
      const placed = content.place(ids, Math.min(size, count - done), term.wanted);
      const found = term.scan({ ids, count: placed, filter });
      done += this.#context.workspace.kernel.scanned.value;
      if (found > 0) yield this.#take(found);
    }
  }

  /** Yields the matches in whole documents, for literals with line breaks. Results are valid as in `blocks`. */
  *documents(term: ShardTerm, documents: Uint32Array): Generator<Matches> {
    const { content, shard, workspace } = this.#context;
    term.begin(EVERY_LINE);
    for (const document of documents) {
      const { start, end } = shard.documentRange(document);
      for (let from = start; from < end; from = workspace.kernel.resumeAt.value >>> 0) {
        this.#check();
        const found = term.scanDocument({ document, from, base: content.placeDocument(document) });
        if (found > 0) yield this.#take(found);
      }
    }
  }

  #check(): void {
    const { checkpoint, workspace } = this.#context;
    workspace.checkpoint = checkpoint; // long calls of the kernel call it, too
    checkpoint();
  }

  #take(count: number): Matches {
    const { arena, records } = this.#context.workspace;
    return new Matches(arena.words(records, count * FIELDS));
  }
}
