import { LRUCache } from 'lru-cache';
import { LimitError, QueryError } from '../errors.ts';
import type { Shard } from '../format/shard.ts';
import { MAX_LITERAL_BYTES } from '../kernel/needle.ts';
import { estimate, planRegex, planText, trigramsOf } from '../postings/plan.ts';
import type { Plan, TextTrigrams } from '../postings/plan.ts';
import { hasCase, inAnyCase, onlyMember } from '../regex/character-sets.ts';
import { parseRegex } from '../regex/parse.ts';
import type { Node } from '../regex/parse.ts';
import { compile, encode } from '../regex/program.ts';
import type { Program } from '../regex/program.ts';
import { prefilterOf, requirement } from '../regex/requirements.ts';
import type { Prefilter, Requirement } from '../regex/requirements.ts';

/** A text to search for. `foldCase` ignores case; for bytes only the case of ASCII letters. */
export interface Literal {
  readonly literal: string | Uint8Array;
  readonly foldCase?: boolean;
}

/** A regular expression in RE2 syntax, matched within one line. */
export interface Regex {
  readonly regex: string;
  readonly foldCase?: boolean;
}

/** A literal as bytes. */
export interface Text {
  readonly bytes: Uint8Array;
  readonly foldCase: boolean;
}

/** A term compiled for all shards. */
interface CompiledTerm {
  readonly what: Text | CompiledRegex;
  /** Where a shard may contain it. */
  readonly planFor: (shard: Shard) => Plan;
}

const NEWLINE = 10;
/** A term is compiled once for all shards, and for an estimate and the search after it. */
const compiledTerms = new WeakMap<Literal | Regex, CompiledTerm>();

/** Compiles a term, or returns it from the cache. Throws QueryError and LimitError. */
export function compiledTerm(query: Literal | Regex): CompiledTerm {
  const known = compiledTerms.get(query);
  if (known) return known;
  const made = 'regex' in query ? compileRegex(query) : compileLiteral(query);
  compiledTerms.set(query, made);
  return made;
}

/** An upper bound of the blocks with a term, from the index of a shard alone. Throws QueryError and LimitError. */
export const mostBlocks = (shard: Shard, query: Literal | Regex): number =>
  estimate(compiledTerm(query).planFor(shard), shard.blocks);

function compileRegex({ regex, foldCase = false }: Regex): CompiledTerm {
  const expression = compiledRegex(`${foldCase} ${regex}`, () => parseRegex(regex, { foldCase }));
  const plain = plainText(expression.node);
  return plain ? compileText({ bytes: plain, foldCase: false }) : compileExpression(expression);
}

function compileLiteral({ literal, foldCase = false }: Literal): CompiledTerm {
  if (literal.length === 0) throw new QueryError('an empty text is everywhere; search for at least one character', 0);
  if (typeof literal === 'string' && !literal.isWellFormed())
    throw new QueryError('half of a surrogate pair is no character', literal.search(/\p{Cs}/u));
  const bytes = typeof literal === 'string' ? new TextEncoder().encode(literal) : literal;
  if (bytes.length > MAX_LITERAL_BYTES)
    throw new LimitError(`a text to search for has at most ${MAX_LITERAL_BYTES} bytes, this one has ${bytes.length}`);
  if (typeof literal !== 'string' || !foldCase || !needsUnicodeCase(literal)) return compileText({ bytes, foldCase });
  if (bytes.includes(NEWLINE))
    throw new QueryError(
      'a text with line breaks and letters beyond ASCII is searched in its exact case only; search its lines one by one',
      literal.indexOf('\n'),
    );
  const parts = [...literal].map((character): Node => {
    const code = character.codePointAt(0) ?? 0;
    return { kind: 'set', set: inAnyCase([code, code]) };
  });
  return compileExpression(compiledRegex(`text ${literal}`, () => ({ kind: 'concat', parts })));
}

const compileExpression = (what: CompiledRegex): CompiledTerm => ({
  what,
  planFor: (shard) => planRegex(shard, what.required),
});

function compileText(what: Text): CompiledTerm {
  const { bytes } = what;
  if (!bytes.includes(NEWLINE)) {
    const trigrams = trigramsOf(bytes);
    return { what, planFor: (shard) => planText(shard, trigrams) };
  }
  const lines = trigramsOfLines(bytes);
  return { what, planFor: (shard) => ({ kind: 'lines', parts: lines.map((trigrams) => planText(shard, trigrams)) }) };
}

/** The trigrams of each line of at least three bytes. */
function trigramsOfLines(bytes: Uint8Array): TextTrigrams[] {
  const lines: TextTrigrams[] = [];
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, from);
    const to = newline < 0 ? bytes.length : newline;
    if (to - from >= 3) lines.push(trigramsOf(bytes.subarray(from, to)));
    from = to + 1;
  }
  return lines;
}

function needsUnicodeCase(text: string): boolean {
  return [...text].some((character) => {
    const code = character.codePointAt(0) ?? 0;
    return code >= 128 && hasCase(code);
  });
}

/** The bytes of an expression that is a plain text, because the literal search is faster. Undefined for other expressions. */
function plainText(node: Node): Uint8Array | undefined {
  const parts = node.kind === 'concat' ? node.parts : [node];
  const members = parts.map((part) => (part.kind === 'set' ? onlyMember(part.set) : undefined));
  if (!members.every((member) => member !== undefined)) return undefined;
  const bytes = members.flatMap(encode);
  return bytes.length > 0 && bytes.length <= MAX_LITERAL_BYTES ? Uint8Array.from(bytes) : undefined;
}

/** A regular expression compiled for all shards. */
export interface CompiledRegex {
  /** Identifies the expression. */
  readonly key: string;
  readonly node: Node;
  /** What every match contains. */
  readonly required: Requirement;
  /** How the kernel finds lines that may match. */
  readonly prefilter: Prefilter;
  readonly forward: Program;
  readonly backward: Program;
}

/** The cache is small, and has no expression with many instructions, because anyone may send patterns. */
const cachedRegexes = new LRUCache<string, CompiledRegex>({ max: 32 });
const MAX_CACHED_INSTRUCTIONS = 1000;

/** The expression of a key, which `parse` parses if it is not cached. Throws QueryError and LimitError. */
export function compiledRegex(key: string, parse: () => Node): CompiledRegex {
  const known = cachedRegexes.get(key);
  if (known) return known;
  const node = parse();
  const required = requirement(node);
  const made = {
    key,
    node,
    required,
    prefilter: prefilterOf(required),
    forward: compile(node, false),
    backward: compile(node, true),
  };
  if (made.forward.instructions.length <= MAX_CACHED_INSTRUCTIONS) cachedRegexes.set(key, made);
  return made;
}
