import type { Wanted } from '../format/content.ts';
import { compiledTerm } from './compiled-term.ts';
import type { Literal, Plans, Regex, Text } from './compiled-term.ts';
import { Needle } from './needle.ts';
import type { Plan } from '../postings/plan.ts';
import type { CompiledRegex } from '../regex/compiled.ts';
import { RegexRecord } from '../regex/record.ts';
import type { Shard } from '../format/shard.ts';
import { CAPACITY } from '../kernel/workspace.ts';
import type { Workspace } from '../kernel/workspace.ts';

/** At an address two u32 for each of the documents [from, to): matches at the start of a word, and others. */
export interface Counts {
  readonly address: number;
  readonly from: number;
  readonly to: number;
}

/** A literal or regular expression, compiled for one search in one shard. */
export interface Term {
  readonly plan: Plan;
  readonly linePlans: readonly Plan[] | undefined;
  readonly wanted: Wanted;
  /** Starts a new window. In blocks matches in so many lines of each document will be found, and the others counted. */
  begin(lines: number): void;
  /** Searches blocks, or one document from a content offset, and returns the number of records. */
  scan(place: { ids: number; count: number; filter: number }): number;
  scanDocument(place: { document: number; from: number; base: number }): number;
  /** Adds matches in blocks to the counts of documents. Absent where only `scan` finds them. */
  count?(place: { ids: number; count: number; counts: Counts }): void;
  release(): void;
}

interface TermPlace {
  readonly workspace: Workspace;
  readonly shard: Shard;
}

/** Throws QueryError and LimitError. */
export function compileTerm(workspace: Workspace, shard: Shard, query: Literal | Regex): Term {
  const { what, plansFor } = compiledTerm(query);
  const plans = plansFor(shard);
  const place = { workspace, shard };
  return 'bytes' in what ? new LiteralTerm(place, what, plans) : new RegexTerm(place, what, plans);
}

class LiteralTerm implements Term {
  readonly plan: Plan;
  readonly linePlans: readonly Plan[] | undefined;
  readonly wanted = 'literals';
  readonly #workspace: Workspace;
  readonly #shard: Shard;
  readonly #text: Text;
  #needle: Needle | undefined;

  constructor({ workspace, shard }: TermPlace, text: Text, { plan, linePlans }: Plans) {
    this.plan = plan;
    this.linePlans = linePlans;
    this.#workspace = workspace;
    this.#shard = shard;
    this.#text = text;
  }

  /** The needle is made for the first text: often the index excludes all. */
  begin(lines: number): void {
    this.#needle ??= new Needle(this.#workspace.arena).write(this.#text.bytes, this.#text.foldCase);
    this.#needle.begin(lines);
  }

  scan({ ids, count, filter }: { ids: number; count: number; filter: number }): number {
    const { kernel, bases, records } = this.#workspace;
    return kernel.scanLiteral(this.#shard.handle.address, ids, count, bases, filter, this.#address, records, CAPACITY);
  }

  count({ ids, count, counts: { address, from, to } }: { ids: number; count: number; counts: Counts }): void {
    const { kernel, bases } = this.#workspace;
    kernel.countLiteral(this.#shard.handle.address, ids, count, bases, this.#address, address, from, to);
  }

  scanDocument({ document, from, base }: { document: number; from: number; base: number }): number {
    const { kernel, records } = this.#workspace;
    return kernel.scanDocument(this.#shard.handle.address, document, from, base, this.#address, records, CAPACITY);
  }

  get #address(): number {
    if (!this.#needle) throw new Error('a text is searched before the search has begun');
    return this.#needle.address;
  }

  release(): void {
    this.#needle?.release();
  }
}

class RegexTerm implements Term {
  readonly plan: Plan;
  readonly linePlans: readonly Plan[] | undefined;
  readonly wanted = 'lines';
  readonly #workspace: Workspace;
  readonly #shard: Shard;
  readonly #regex: CompiledRegex;
  #record: RegexRecord | undefined;

  constructor({ workspace, shard }: TermPlace, regex: CompiledRegex, { plan, linePlans }: Plans) {
    this.plan = plan;
    this.linePlans = linePlans;
    this.#workspace = workspace;
    this.#shard = shard;
    this.#regex = regex;
  }

  /** What the kernel reads is made for the first text: often the index excludes all. */
  begin(lines: number): void {
    this.#record ??= new RegexRecord(this.#workspace, this.#regex);
    this.#record.begin(lines);
  }

  scan({ ids, count, filter }: { ids: number; count: number; filter: number }): number {
    if (!this.#record) throw new Error('an expression is searched before the search has begun');
    const { kernel, bases, records } = this.#workspace;
    return kernel.scanRegex(
      this.#shard.handle.address,
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
