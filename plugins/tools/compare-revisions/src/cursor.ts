import { hash } from 'node:crypto';
import { SextantError } from '@sextant/core';
import { z } from 'zod';

/** What the caller asked to compare, as they wrote it. */
export interface Asked {
  repo: string;
  base: string;
  head: string;
}

/** A place in a comparison of two commits, which stays the same while branches move. */
export interface Place {
  base: string;
  head: string;
  offset: number;
  /** Whether the first page said something of how the commits were chosen. Cursors are not signed: what was said is not in them. */
  hasNote: boolean;
}

const commit = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/);
const content = z.tuple([commit, commit, z.int().min(1), z.string(), z.boolean()]);

/** Opaque to callers. */
export const encodeCursor = ({ base, head, offset, hasNote }: Place, asked: Asked): string =>
  Buffer.from(JSON.stringify([base, head, offset, mark(asked), hasNote])).toString('base64url');

/** Throws `invalid_argument` for a cursor that no page of this comparison gave. */
export function decodeCursor(cursor: string, asked: Asked): Place {
  const { data } = content.safeParse(parsed(cursor));
  if (!data || data[3] !== mark(asked))
    throw new SextantError(
      'invalid_argument',
      'Argument "after": no page of this comparison ended with this cursor; leave it out for the first page.',
    );
  const [base, head, offset, , hasNote] = data;
  return { base, head, offset, hasNote };
}

/** Tells one comparison from another. */
const mark = ({ repo, base, head }: Asked): string =>
  hash('sha256', JSON.stringify([repo, base, head]), 'hex').slice(0, 16);

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}
