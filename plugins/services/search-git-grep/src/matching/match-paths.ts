import type { Expressions } from './expressions.ts';
import type { FileQuery, PathVerdict, PathsAnswer } from './protocol.ts';
import { replaceLeaves, truth } from './truth.ts';
import type { Leaf } from './truth.ts';

/** What the paths of a commit say of its files before any is read. */
export function matchPaths(query: FileQuery, paths: readonly string[], expressions: Expressions): PathsAnswer {
  const left = replaceLeaves(query, (leaf) => {
    if (leaf.kind === 'text' || leaf.scope === 'file') return leaf;
    const expression = expressions.get(leaf.source);
    return { kind: paths.some((path) => expression.test(path)) ? 'all' : 'none' };
  });
  return { query: left, verdicts: paths.map((path) => verdictOf(left, path, expressions)) };
}

function verdictOf(query: FileQuery, path: string, expressions: Expressions): PathVerdict {
  let hasText = false;
  const truths = new Map<Leaf, boolean>();
  truth(query, (leaf) => {
    const isMatching = expressions.get(leaf.source).test(path);
    truths.set(leaf, isMatching);
    hasText ||= isMatching && leaf.kind === 'text';
    return isMatching;
  });
  // A text that the path lacks may be in the content.
  const isPossible = truth(query, (leaf) => truths.get(leaf) || (leaf.kind === 'text' ? undefined : false)) !== false;
  return { isPossible, isFound: truth(query, (leaf) => truths.get(leaf) ?? false) === true, hasText };
}
