import type { FileChange } from '@sextant/contracts';
import { z } from 'zod';

const hunk = z.object({
  oldStart: z.int(),
  oldLines: z.int(),
  newStart: z.int(),
  newLines: z.int(),
  section: z.string().optional(),
  lines: z.string().describe('With their markers: space, +, -'),
});

const file = z.object({
  path: z.string(),
  previousPath: z.string().optional(),
  status: z.enum(['added', 'deleted', 'modified', 'renamed', 'copied', 'type-changed']),
  added: z.int(),
  deleted: z.int(),
  binary: z.boolean().optional(),
  oldMode: z.string().optional(),
  newMode: z.string().optional(),
  truncated: z.boolean().optional(),
  hunks: z.array(hunk),
});

export const output = z.object({
  repository: z.string(),
  base: z.string(),
  head: z.string(),
  totalAdded: z.int().describe('Lines'),
  totalDeleted: z.int(),
  totalModified: z.int().describe('Files'),
  atLeast: z.array(z.string()).optional().describe('Totals that are lower bounds: files, lines'),
  /** On the first of several pages, as many as fit. */
  allFiles: z.array(z.string()).optional(),
  files: z.array(file),
  hasNextPage: z.boolean(),
  endCursor: z.string().optional(),
  notes: z.array(z.string()).optional(),
});

export type ComparisonOutput = z.output<typeof output>;
export type ComparedFile = ComparisonOutput['files'][number];

export const toWire = ({ isBinary, isTruncated, hunks, ...change }: FileChange): ComparedFile => ({
  ...change,
  ...(isBinary && { binary: true }),
  ...(isTruncated && { truncated: true }),
  hunks: hunks.map(({ lines, section, ...numbers }) => ({
    ...numbers,
    ...(section && { section }),
    lines: lines.join('\n'),
  })),
});
