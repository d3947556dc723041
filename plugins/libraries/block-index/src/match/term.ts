import type { LongLineParts } from '../format/content.ts';
import type { Shard } from '../format/shard.ts';
import { Needle, NO_DOCUMENT } from '../kernel/needle.ts';
import type { Plan } from '../postings/plan.ts';
import { windowTables } from '../regex/requirements.ts';
import type { Prefilter } from '../regex/requirements.ts';
import { CAPACITY } from '../workspace.ts';
import type { Workspace } from '../workspace.ts';
import { compiledTerm } from './compiled-term.ts';
import type { CompiledRegex, Literal, Plans, Regex, Text } from './compiled-term.ts';

/** A literal or regular expression, compiled for one search in one shard. */
export abstract class ShardTerm {
  readonly plan: Plan;
  readonly linePlans: readonly Plan[] | undefined;
  abstract readonly wanted: LongLineParts;
  protected readonly workspace: Workspace;
  protected readonly shard: Shard;

  constructor(workspace: Workspace, shard: Shard, { plan, linePlans }: Plans) {
    this.plan = plan;
    this.linePlans = linePlans;
    this.workspace = workspace;
    this.shard = shard;
  }

  /** Begins a scan with a line limit (see `Scanner.blocks`). */
  abstract begin(lines: number): void;
  /** Scans blocks. Returns the number of records. */
  abstract scan(place: { ids: number; count: number; filter: number }): number;
  /** Scans one document from a content offset. Returns the number of records. */
  abstract scanDocument(place: { document: number; from: number; base: number }): number;
  abstract release(): void;
}

/** Compiles a term for a shard. Throws QueryError and LimitError. */
export function compileTerm(workspace: Workspace, shard: Shard, query: Literal | Regex): ShardTerm {
  const { what, plansFor } = compiledTerm(query);
  const common = [workspace, shard, plansFor(shard)] as const;
  return 'bytes' in what ? new LiteralTerm(what, ...common) : new RegexTerm(what, ...common);
}

class LiteralTerm extends ShardTerm {
  readonly wanted = 'literals';
  readonly #text: Text;
  #needle: Needle | undefined;

  constructor(text: Text, ...common: [workspace: Workspace, shard: Shard, plans: Plans]) {
    super(...common);
    this.#text = text;
  }

  /** Creates the needle only now, because the index often excludes all blocks. */
  begin(lines: number): void {
    this.#needle ??= new Needle(this.workspace.arena).write(this.#text.bytes, this.#text.foldCase);
    this.#needle.begin(lines);
  }

  scan({ ids, count, filter }: { ids: number; count: number; filter: number }): number {
    const { kernel, bases, records } = this.workspace;
    return kernel.scanLiteral(this.shard.handle.address, ids, count, bases, filter, this.#address, records, CAPACITY);
  }

  scanDocument({ document, from, base }: { document: number; from: number; base: number }): number {
    const { kernel, records } = this.workspace;
    return kernel.scanDocument(this.shard.handle.address, document, from, base, this.#address, records, CAPACITY);
  }

  get #address(): number {
    if (!this.#needle) throw new Error('a text is searched before the search has begun');
    return this.#needle.address;
  }

  release(): void {
    this.#needle?.release();
  }
}

class RegexTerm extends ShardTerm {
  readonly wanted = 'lines';
  readonly #regex: CompiledRegex;
  #record: RegexRecord | undefined;

  constructor(regex: CompiledRegex, ...common: [workspace: Workspace, shard: Shard, plans: Plans]) {
    super(...common);
    this.#regex = regex;
  }

  /** Creates the record only now, because the index often excludes all blocks. */
  begin(lines: number): void {
    this.#record ??= new RegexRecord(this.workspace, this.#regex);
    this.#record.begin(lines);
  }

  scan({ ids, count, filter }: { ids: number; count: number; filter: number }): number {
    if (!this.#record) throw new Error('an expression is searched before the search has begun');
    const { kernel, bases, records } = this.workspace;
    return kernel.scanRegex(
      this.shard.handle.address,
      ids,
      count,
      bases,
      filter,
      this.#record.address,
      records,
      CAPACITY,
    );
  }

  scanDocument(): number {
    throw new Error('a regular expression is matched within lines');
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
  readonly #regex: CompiledRegex;
  readonly #owned: { release(): void }[] = [];
  #hasDfas = false;

  constructor(workspace: Workspace, regex: CompiledRegex) {
    this.#workspace = workspace;
    this.#regex = regex;
    this.address = workspace.arena.allocate(RECORD_BYTES);
    try {
      this.#writePrefilter(regex.prefilter);
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Begins a scan with a line limit (see `Scanner.blocks`). */
  begin(lines: number): void {
    const { arena, dfas } = this.#workspace;
    if (!this.#hasDfas) {
      const { forward, backward } = dfas.use(this.#regex);
      this.#hasDfas = true;
      arena.words(this.address, 2).set([forward, backward]);
    }
    arena.words(this.address + INTERRUPTED, 1).fill(0);
    arena.words(this.address + LINE_LIMIT, 2).set([lines, NO_DOCUMENT]);
  }

  release(): void {
    if (this.#hasDfas) this.#workspace.dfas.letGo(this.#regex);
    for (const owned of this.#owned) owned.release();
    this.#workspace.arena.release(this.address);
  }

  #own<T extends { release(): void }>(resource: T): T {
    this.#owned.push(resource);
    return resource;
  }

  #writePrefilter(prefilter: Prefilter): void {
    const { arena } = this.#workspace;
    const how = arena.words(this.address + 8, 2);
    const needles = arena.words(this.address + NEEDLES, 8);
    if (!prefilter) how.set([EVERY_LINE, 0]);
    else if ('literals' in prefilter) {
      how.set([BY_LITERALS, prefilter.literals.length]);
      needles.set(
        prefilter.literals.map(({ bytes, foldCase }) => this.#own(new Needle(arena).write(bytes, foldCase)).address),
      );
    } else {
      const record = windowTables(prefilter.window);
      const tables = arena.allocate(record.length);
      this.#own({ release: () => arena.release(tables) });
      arena.u8.set(record, tables);
      how.set([BY_WINDOW, 0]);
      needles.set([tables]);
    }
  }
}
