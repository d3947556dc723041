import type { Wanted } from './content.ts';
import { QueryError, LimitError } from './errors.ts';
import { LONGEST_NEEDLE, Needle } from './needle.ts';
import { planLiteral, planRequirement } from './plan.ts';
import type { Plan } from './plan.ts';
import type { Node } from './regex/ast.ts';
import { inAnyCase, hasCase } from './regex/case.ts';
import { encode } from './regex/byte-machine.ts';
import { onlyMember } from './regex/code-points.ts';
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
  const node = parseRegex(term.regex, { foldCase: term.foldCase === true });
  const plain = plainText(node);
  return plain
    ? new LiteralTerm(workspace, shard, { bytes: plain, foldCase: false })
    : new RegexTerm(workspace, shard, node);
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
  return new RegexTerm(workspace, shard, { kind: 'concat', parts });
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

class LiteralTerm implements Term {
  readonly plan: Plan;
  readonly linePlans?: readonly Plan[];
  readonly wanted = 'literals';
  readonly #workspace: Workspace;
  readonly #shard: Shard;
  readonly #needle: Needle;

  constructor(workspace: Workspace, shard: Shard, { bytes, foldCase }: { bytes: Uint8Array; foldCase: boolean }) {
    this.#workspace = workspace;
    this.#shard = shard;
    this.#needle = new Needle(workspace.arena, bytes, foldCase);
    if (!bytes.includes(NEWLINE)) this.plan = planLiteral(shard, bytes);
    else {
      this.linePlans = linesOf(bytes).map((line) => planLiteral(shard, line));
      this.plan = { kind: 'every' };
    }
  }

  begin(): void {
    this.#needle.begin();
  }

  scan({ ids, count, filter }: { ids: number; count: number; filter: number }): number {
    const { kernel, bases, records } = this.#workspace;
    return kernel.scanLiteral(
      this.#shard.handle.address,
      ids,
      count,
      bases,
      filter,
      this.#needle.address,
      records,
      CAPACITY,
    );
  }

  scanDocument({ document, from, base }: { document: number; from: number; base: number }): number {
    const { kernel, records } = this.#workspace;
    return kernel.scanDocument(
      this.#shard.handle.address,
      document,
      from,
      base,
      this.#needle.address,
      records,
      CAPACITY,
    );
  }

  release(): void {
    this.#needle.release();
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
  readonly #record: RegexRecord;

  constructor(workspace: Workspace, shard: Shard, node: Node) {
    this.#workspace = workspace;
    this.#shard = shard;
    this.#record = new RegexRecord(workspace, node);
    this.plan = planRequirement(shard, this.#record.need);
  }

  begin(): void {
    this.#record.begin();
  }

  scan({ ids, count, filter }: { ids: number; count: number; filter: number }): number {
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
    this.#record.release();
  }
}
