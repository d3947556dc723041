import { basename } from 'node:path/posix';
import { nameWeights } from './weights.ts';

/** The score of a path that ends with a term with a dot (`redis.conf`, `etcdmain/etcd.go`). `folders` stand before it. */
export const wholeNameScore = (folders: number): number =>
  Math.max(nameWeights.whole, nameWeights.wholeInRoot / (1 + folders));

/** How well a path matches a term (in lower case): 0 to 1. A path that ends with a term with a dot gets more. */
export function nameScore(path: string, term: string): number {
  const lower = path.toLowerCase();
  const name = basename(lower);
  const stem = name.replace(/\..*$/, '');
  const folders = term.includes('.') ? foldersBefore(lower, term) : undefined;
  if (folders !== undefined) return wholeNameScore(folders);
  if (term === stem || term === name || term === lower) return nameWeights.whole;
  let at = name.indexOf(term);
  if (at < 0) return lower.includes(term) ? nameWeights.folder : 0;
  // With its capitals.
  const written = lower.length === path.length ? basename(path) : name;
  while (at >= 0 && isWithinWord(written.charCodeAt(at - 1), written.charCodeAt(at)))
    at = name.indexOf(term, at + term.length);
  return at < 0 ? nameWeights.withinWord : nameWeights.name;
}

/** The folders before a name that a path ends with; undefined where it does not. */
function foldersBefore(path: string, name: string): number | undefined {
  let at = path.indexOf(name);
  // No match begins within another.
  while (at >= 0 && at + name.length < path.length) at = path.indexOf(name, at + name.length);
  if (at < 0 || (at > 0 && path[at - 1] !== '/')) return undefined;
  return path.slice(0, at).split('/').length - 1;
}

/** Whether a letter continues the word of the one before it; a capital begins a word. Letters of ASCII alone; NaN is none. */
const isWithinWord = (before: number, character: number): boolean =>
  character >= 0x61 && character <= 0x7a && (before | 0x20) >= 0x61 && (before | 0x20) <= 0x7a;
