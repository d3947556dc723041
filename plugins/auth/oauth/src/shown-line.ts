import { z } from 'zod';

/**
 * A line that a stranger wrote and people read: no control or format characters, which turn text round or hide it, no
 * breaks, no tower of marks that lies over other lines, and something to see.
 */
export const shownLine = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, 'must not contain control characters, line breaks or marks of direction')
  .regex(/^(?!.*\p{M}{5})/u, 'must not have more than four combining marks in a row')
  .regex(/[\p{L}\p{N}\p{P}\p{S}]/u, 'must have something to see');
