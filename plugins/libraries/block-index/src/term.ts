import type { Wanted } from './content.ts';
import { QueryError, LimitError } from './errors.ts';
import { LONGEST_NEEDLE, Needle } from './needle.ts';
import { planLiteral, planRequirement } from './plan.ts';
import type { Plan } from './plan.ts';
import type { Node } from './regex/ast.ts';
import { inAnyCase, hasCase } from './regex/case.ts';
import { encode } from './regex/byte-machine.ts';
import { onlyMember } from './regex/code-points.ts';
import { compiledRegex } from './regex/compiled.ts';
import type { CompiledRegex } from './regex/compiled.ts';
import { parseRegex } from './regex/parse.ts';
import { RegexRecord } from './regex/record.ts';
import type { Shard } from './shard.ts';
import { CAPACITY } from './workspace.ts';
import type { Workspace } from './workspace.ts';

/** A text that is searched as it is; in any case with `foldCase`. Bytes fold only ASCII letters. */
export interface Literal {
  readonly literal: string | Uint8Array;
  readonly foldCase?: boolean;
}

/** A regular expression in RE2 syntax, matched within one line. */
export interface Regex {
  readonly regex: string;
  readonly foldCase?: boolean;
}

/** A literal or regular expression, compiled for one search in one shard. */
export interface Term {
  readonly plan: Plan;
  /** Literals with line breaks are searched document by document: these are the plans of their lines, of which a document must satisfy each. */
  readonly linePlans?: readonly Plan[];
  readonly wanted: Wanted;
  /** Starts a new window. */
  begin(): void;
  /** Searches blocks, or one document from a content offset, and returns the number of records. */
  scan(place: { ids: number; count: number; filter: number }): number;
  scanDocument(place: { document: number; from: number; base: number }): number;
  release(): void;
}

const NEWLINE = 10;

/** Throws QueryError and LimitError. */
export function compileTerm(workspace: Workspace, shard: Shard, term: Literal | Regex): Term {
  if ('literal' in term) return compileLiteral(workspace, shard, term);
  const { regex, foldCase = false } = term;
  const compiled = compiledRegex(`${foldCase} ${regex}`, () => parseRegex(regex, { foldCase }));
  const plain = plainText(compiled.node);
  return plain
    ? new LiteralTerm(workspace, shard, { bytes: plain, foldCase: false })
    : new RegexTerm(workspace, shard, compiled);
}

function compileLiteral(workspace: Workspace, shard: Shard, { literal, foldCase = false }: Literal): Term {
  if (literal.length === 0) throw new QueryError('an empty text is everywhere; search for at least one character', 0);
  if (typeof literal === 'string' && !literal.isWellFormed())
    throw new QueryError('half of a surrogate pair is no character', literal.search(/\p{Cs}/u));
  const bytes = typeof literal === 'string' ? new TextEncoder().encode(literal) : literal;
  if (bytes.length > LONGEST_NEEDLE)
    throw new LimitError(`a text to search for has at most ${LONGEST_NEEDLE} bytes, this one has ${bytes.length}`);
  if (typeof literal !== 'string' || !foldCase || !needsUnicodeCase(literal))
    return new LiteralTerm(workspace, shard, { bytes, foldCase });
  if (bytes.includes(NEWLINE))
    throw new QueryError(
      'a text with line breaks and letters beyond ASCII is searched in its exact case only; search its lines one by one',
      literal.indexOf('\n'),
    );
  const parts = [...literal].map((character): Node => {
    const code = character.codePointAt(0) ?? 0;
    return { kind: 'set', set: inAnyCase([code, code]) };
  });
  return new RegexTerm(
    workspace,
    shard,
    compiledRegex(`text ${literal}`, () => ({ kind: 'concat', parts })),
  );
}

function needsUnicodeCase(text: string): boolean {
  return [...text].some((character) => {
    const code = character.codePointAt(0) ?? 0;
    return code >= 128 && hasCase(code);
  });
}

/** The bytes of an expression that is a plain text: the literal search is faster. */
function plainText(node: Node): Uint8Array | undefined {
  const parts = node.kind === 'concat' ? node.parts : [node];
  const members = parts.map((part) => (part.kind === 'set' ? onlyMember(part.set) : undefined));
  if (!members.every((member) => member !== undefined)) return undefined;
  const bytes = members.flatMap(encode);
  return bytes.length > 0 && bytes.length <= LONGEST_NEEDLE ? Uint8Array.from(bytes) : undefined;
}

interface Text {
  readonly bytes: Uint8Array;
  readonly foldCase: boolean;
}

class LiteralTerm implements Term {
  readonly plan: Plan;
  readonly linePlans?: readonly Plan[];
  readonly wanted = 'literals';
  readonly #workspace: Workspace;
  readonly #shard: Shard;
  readonly #text: Text;
  #needle: Needle | undefined;

  constructor(workspace: Workspace, shard: Shard, text: Text) {
    const { bytes } = text;
    this.#workspace = workspace;
    this.#shard = shard;
    this.#text = text;
    if (!bytes.includes(NEWLINE)) this.plan = planLiteral(shard, bytes);
    else {
      this.linePlans = linesOf(bytes).map((line) => planLiteral(shard, line));
      this.plan = { kind: 'every' };
    }
  }

  /** The needle is made for the first text: often the index excludes all. */
  begin(): void {
    this.#needle ??= new Needle(this.#workspace.arena, this.#text.bytes, this.#text.foldCase);
    this.#needle.begin();
  }

  scan({ ids, count, filter }: { ids: number; count: number; filter: number }): number {
    const { kernel, bases, records } = this.#workspace;
    return kernel.scanLiteral(this.#shard.handle.address, ids, count, bases, filter, this.#address, records, CAPACITY);
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

/** The parts between line breaks that have keys. */
function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, from);
    const to = newline < 0 ? bytes.length : newline;
    if (to - from >= 3) lines.push(bytes.subarray(from, to));
    from = to + 1;
  }
  return lines;
}

class RegexTerm implements Term {
  readonly plan: Plan;
  readonly wanted = 'lines';
  readonly #workspace: Workspace;
  readonly #shard: Shard;
  readonly #regex: CompiledRegex;
  #record: RegexRecord | undefined;

  constructor(workspace: Workspace, shard: Shard, regex: CompiledRegex) {
    this.#workspace = workspace;
    this.#shard = shard;
    this.#regex = regex;
    this.plan = planRequirement(shard, regex.need);
  }

  /** What the kernel reads is made for the first text: often the index excludes all. */
  begin(): void {
    this.#record ??= new RegexRecord(this.#workspace, this.#regex);
    this.#record.begin();
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
