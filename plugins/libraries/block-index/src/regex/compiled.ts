import { leadOf } from './lead.ts';
import type { Lead } from './lead.ts';
import type { Node } from './ast.ts';
import { compile } from './program.ts';
import type { Program } from './program.ts';
import { requirement } from './required.ts';
import { requiredKeys } from '../postings/required-keys.ts';
import type { RequiredKeys } from '../postings/required-keys.ts';
import { shapesOf } from '../format/shapes.ts';
import type { Shapes } from '../format/shapes.ts';

/** What an expression says, whatever is searched for it: made once for all shards. */
export interface CompiledRegex {
  /** Tells it from others. */
  readonly key: string;
  readonly node: Node;
  /** What every match contains. */
  readonly required: RequiredKeys;
  readonly shapes: readonly Shapes[];
  /** How lines that may match are found. */
  readonly lead: Lead;
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
    required: requiredKeys(need),
    shapes: shapesOf(need),
    lead: leadOf(need),
    forward: compile(node, false),
    backward: compile(node, true),
  };
  if (made.forward.instructions.length > MOST_INSTRUCTIONS) return made;
  kept.set(key, made);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  return made;
}
