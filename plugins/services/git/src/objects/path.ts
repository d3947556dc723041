import { SextantError } from '@sextant/core';

const maxLength = 4096;

export interface ParsedPath {
  readonly segments: readonly string[];
  /** Whether it ends in a slash. */
  readonly isDirectory: boolean;
}

/** A path from the root; empty for the root itself. Throws `invalid_argument` for what no path in a tree can be. */
export function parsePath(path: string): ParsedPath {
  if (path.length > maxLength) refuse(`is longer than ${maxLength} characters`);
  if (path.includes('\0')) refuse('contains a NUL character');
  if (path.startsWith('/')) refuse('must not begin with "/"');
  const isDirectory = path.endsWith('/');
  const segments = path === '' ? [] : (isDirectory ? path.slice(0, -1) : path).split('/');
  if (segments.includes('')) refuse('contains an empty segment ("//")');
  if (segments.includes('.') || segments.includes('..')) refuse('must not contain "." or ".." segments');
  return { segments, isDirectory };
}

function refuse(problem: string): never {
  throw new SextantError(
    'invalid_argument',
    `path ${problem}; give it from the root of the repository, such as src/main.ts`,
  );
}
