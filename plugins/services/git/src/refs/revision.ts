import { SextantError, fromOneLine } from '@sextant/core';

/** A revision, checked: a name and what follows it. */
export interface Revision {
  /** `HEAD`, a ref, a branch, a tag or a hash. */
  readonly base: string;
  /** Steps from there, such as `~5` or `^2`. */
  readonly steps: string;
}

const maxLength = 1000;
const allowed =
  'give a branch, a tag, a commit hash (4 digits at least) or one of them followed by ~n or ^n, such as main~5';

/**
 * Throws `invalid_argument` for anything that could be an option, a range, a path, a search or several commits.
 * No name of a ref has a backslash: one that was read in a text, with escapes, means what they stand for.
 */
export function parseRevision(given: string): Revision {
  const text = fromOneLine(given);
  const problem = problemOf(text);
  if (problem !== undefined) throw new SextantError('invalid_argument', `revision ${problem}; ${allowed}`);
  const [, base = '', steps = ''] = /^([^~^]*)(.*)$/.exec(text) ?? [];
  if (!/^(?:~\d{0,7}|\^\d{0,3}|\^\{(?:commit)?\})*$/.test(steps))
    throw new SextantError('invalid_argument', `revision must not continue with "${clip(steps)}"; ${allowed}`);
  return { base: base === '@' ? 'HEAD' : base, steps };
}

function problemOf(text: string): string | undefined {
  if (text === '') return 'is empty';
  if (text.length > maxLength) return `is longer than ${maxLength} characters`;
  if (text.startsWith('-')) return 'must not begin with "-"';
  if (/[\p{Cc} ]/u.test(text)) return 'must not contain spaces or control characters';
  if (text.includes('..')) return 'must name one commit, not a range ("..")';
  if (text.includes('@{')) return 'must not contain "@{"';
  const odd = /[:?*[\\]/.exec(text)?.[0];
  if (odd !== undefined) return `must not contain "${odd}"`;
  if (/^[~^/]/.test(text)) return `must not begin with "${text[0]}"`;
  return undefined;
}

const clip = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
