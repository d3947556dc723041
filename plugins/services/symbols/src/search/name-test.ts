import type { LineMatcher, Patterns } from '@sextant/library-block-index';
import type { Definition } from '../parse/file-symbols.ts';
import type { NameCondition } from './symbol-query.ts';

/** Rates how well a name matches; 0: not at all. Release it after use. */
export interface NameTest {
  rate(definition: Definition): number;
  release(): void;
}

const types = new Set(['class', 'interface', 'struct', 'trait', 'enum', 'type', 'module', 'namespace']);
const callables = new Set(['function', 'method', 'macro', 'constructor']);

type Test = (name: string) => number;

/** Throws `invalid_argument` for a regular expression that cannot be used. */
export function nameTest(condition: NameCondition | undefined, patterns: Patterns): NameTest {
  const compiled: LineMatcher[] = [];
  const release = (): void => {
    for (const pattern of compiled.splice(0)) pattern.release();
  };
  const testOf = (part: NameCondition): Test => {
    if (part.kind === 'literal') return literalTest(part.text, part.isCaseSensitive);
    if (part.kind === 'not') {
      const child = testOf(part.child);
      return (name) => (child(name) > 0 ? 0 : 1);
    }
    if (part.kind === 'regex') {
      const pattern = patterns.compile(part.pattern, { foldCase: !part.isCaseSensitive });
      compiled.push(pattern);
      return (name) => (pattern.test(name) ? 2 : 0);
    }
    const children = part.children.map(testOf);
    const all = (name: string): number[] => children.map((child) => child(name));
    return part.kind === 'or' ? (name) => Math.max(...all(name)) : (name) => meanUnlessZero(all(name));
  };
  try {
    const test = condition ? testOf(condition) : (): number => 1;
    return { rate: (definition) => rated(test(definition.name), definition), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** A whole name rates higher than its beginning, and that higher than another part. */
function literalTest(text: string, isCaseSensitive: boolean): Test {
  const fold = (name: string): string => (isCaseSensitive ? name : name.toLowerCase());
  const wanted = fold(text);
  return (name) => {
    const folded = fold(name);
    if (!folded.includes(wanted)) return 0;
    if (folded === wanted) return name === text ? 8 : 7;
    return folded.startsWith(wanted) ? 4 : 2;
  };
}

const meanUnlessZero = (rates: readonly number[]): number =>
  rates.includes(0) ? 0 : rates.reduce((sum, rate) => sum + rate, 0) / rates.length;

/** Among equal names, types come before functions, and functions before the rest. */
function rated(rate: number, { kind }: Definition): number {
  if (rate === 0) return 0;
  return rate + (types.has(kind) ? 0.9 : callables.has(kind) ? 0.6 : 0.3);
}
