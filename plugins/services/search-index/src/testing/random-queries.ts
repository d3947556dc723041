import type { Query } from '@sextant/contracts';
import type { Term } from './oracle.ts';
import type { Random } from './random.ts';

export type Leaf = Extract<Query, { kind: 'literal' | 'regex' | 'file' | 'lang' }>;

/** What random queries are made of. */
export interface Leaves {
  term(): Term;
  file(): Leaf;
}

const languages = ['go', 'java', 'python', 'markdown', 'c', 'javascript', 'text', 'html', 'bash', 'ocaml'];

/** Mostly one term, else a combination with at least one that is not negated, or is so twice. */
export function randomQuery(leaves: Leaves, random: Random): Query {
  const shape = random.below(9);
  if (shape < 4) return leaves.term();
  if (shape === 8) {
    const children: Query[] = [{ kind: 'not', child: leaves.term() }, ...some(leaves, random, 2)];
    return { kind: 'not', child: { kind: 'or', children } };
  }
  const positive = { kind: 'and', children: [leaves.term(), ...some(leaves, random, 2)] } as const;
  return shape === 4 ? { kind: 'or', children: [leaves.term(), positive] } : positive;
}

function some(leaves: Leaves, random: Random, depth: number): Query[] {
  return Array.from({ length: 1 + random.below(2) }, () => {
    const part = randomPart(leaves, random, depth);
    return random.isOneOf(3) ? { kind: 'not', child: part } : part;
  });
}

function randomPart(leaves: Leaves, random: Random, depth: number): Query {
  const choice = random.below(depth > 0 ? 7 : 5);
  if (choice === 0) return leaves.file();
  if (choice === 1) return { kind: 'lang', name: random.pick(languages) };
  if (choice < 5) return leaves.term();
  const children = [leaves.term(), ...some(leaves, random, depth - 1)];
  return { kind: choice === 5 ? 'or' : 'and', children };
}
