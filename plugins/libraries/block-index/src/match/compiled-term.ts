import { LimitError, QueryError } from '../errors.ts';
import type { Shard } from '../format/shard.ts';
import { MAX_LITERAL_BYTES } from '../kernel/needle.ts';
import { trigramsOf, blockRequirementOf, requiredTrigrams, classTrigramsOf } from '../postings/block-requirements.ts';
import type {
  BlockRequirement,
  TextTrigrams,
  RequiredTrigrams,
  ClassTrigrams,
} from '../postings/block-requirements.ts';
import { estimate, planRegex, planText } from '../postings/plan.ts';
import type { Plan } from '../postings/plan.ts';
import { hasCase, inAnyCase, onlyMember } from '../regex/character-sets.ts';
import { parseRegex } from '../regex/parse.ts';
import type { Node } from '../regex/parse.ts';
import { compile, encode } from '../regex/program.ts';
import type { Program } from '../regex/program.ts';
import { prefilterOf, requirement } from '../regex/requirements.ts';
import type { Prefilter } from '../regex/requirements.ts';

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

/** Which blocks of a shard may have a term. */
export interface Plans {
  readonly plan: Plan;
  /** Literals with line breaks are searched document by document: these are the plans of their lines, of which a document must satisfy each. */
  readonly linePlans?: readonly Plan[] | undefined;
}

export interface Text {
  readonly bytes: Uint8Array;
  readonly foldCase: boolean;
}

/** What a literal or an expression says, whatever shard is searched for it. */
interface CompiledTerm {
  readonly what: Text | CompiledRegex;
  /** The keys of whatever has it. */
  readonly needs: RequiredTrigrams;
  /** What each block must have in which it stands; undefined where that is no simple list. */
  readonly ofBlocks: BlockRequirement | undefined;
  readonly plansFor: (shard: Shard) => Plans;
}

const NEWLINE = 10;
/** Who asks first how many blocks may have a term and then searches it compiles it once, and so does who searches many shards. */
const compiled = new WeakMap<Literal | Regex, CompiledTerm>();

/** Throws QueryError and LimitError. */
export function compiledTerm(query: Literal | Regex): CompiledTerm {
  const known = compiled.get(query);
  if (known) return known;
  const made = 'regex' in query ? compileRegex(query) : compileLiteral(query);
  compiled.set(query, made);
  return made;
}

/** At most so many blocks have a term. */
export const blocksOf = ({ plan, linePlans = [] }: Plans, { blocks }: Shard): number =>
  Math.min(estimate(plan, blocks), ...linePlans.map((each) => estimate(each, blocks)));

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
  needs: what.required,
  ofBlocks: blockRequirementOf(what.required),
  plansFor: (shard) => ({ plan: planRegex(shard, what.required, what.shapes) }),
});

function compileText(what: Text): CompiledTerm {
  const { bytes } = what;
  if (!bytes.includes(NEWLINE)) {
    const keys = trigramsOf(bytes);
    const needs = asRequired(keys);
    return { what, needs, ofBlocks: blockRequirementOf(needs), plansFor: (shard) => ({ plan: planText(shard, keys) }) };
  }
  const lines = trigramsOfLines(bytes);
  return {
    what,
    needs: { all: lines.map(asRequired) },
    ofBlocks: undefined,
    plansFor: (shard) => ({ plan: { kind: 'every' }, linePlans: lines.map((keys) => planText(shard, keys)) }),
  };
}

/** Of one or two bytes nothing: most shards have one of their keys. */
const asRequired = (keys: TextTrigrams): RequiredTrigrams =>
  'trigrams' in keys ? { ...keys, choices: [] } : undefined;

/** Of the parts between line breaks that have keys. */
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

/** The bytes of an expression that is a plain text: the literal search is faster. */
function plainText(node: Node): Uint8Array | undefined {
  const parts = node.kind === 'concat' ? node.parts : [node];
  const members = parts.map((part) => (part.kind === 'set' ? onlyMember(part.set) : undefined));
  if (!members.every((member) => member !== undefined)) return undefined;
  const bytes = members.flatMap(encode);
  return bytes.length > 0 && bytes.length <= MAX_LITERAL_BYTES ? Uint8Array.from(bytes) : undefined;
}

/** What an expression says, whatever is searched for it: made once for all shards. */
export interface CompiledRegex {
  /** Tells it from others. */
  readonly key: string;
  readonly node: Node;
  /** What every match contains. */
  readonly required: RequiredTrigrams;
  readonly shapes: readonly ClassTrigrams[];
  /** How lines that may match are found. */
  readonly lead: Prefilter;
  readonly forward: Program;
  readonly backward: Program;
}

/** Patterns come from anyone: few are kept, and none with thousands of instructions. */
const MOST_KEPT = 32;
const MOST_INSTRUCTIONS = 1000;
const kept = new Map<string, CompiledRegex>();

/** The expression of a key, which `parse` makes where it is not known. Throws QueryError and LimitError. */
export function compiledRegex(key: string, parse: () => Node): CompiledRegex {
  const known = kept.get(key);
  if (known) return known;
  const node = parse();
  const need = requirement(node);
  const made = {
    key,
    node,
    required: requiredTrigrams(need),
    shapes: classTrigramsOf(need),
    lead: prefilterOf(need),
    forward: compile(node, false),
    backward: compile(node, true),
  };
  if (made.forward.instructions.length > MOST_INSTRUCTIONS) return made;
  kept.set(key, made);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  return made;
}
