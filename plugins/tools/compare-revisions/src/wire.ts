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
  totalDeleted: z.int().describe('Lines'),
  totalModified: z.int().describe('Files'),
  files: z.array(file),
  hasNextPage: z.boolean(),
  endCursor: z.string().optional(),
});

export type ComparisonOutput = z.output<typeof output>;

export const toWire = ({ isBinary, isTruncated, hunks, ...change }: FileChange): z.input<typeof file> => ({
  ...change,
  ...(isBinary && { binary: true }),
  ...(isTruncated && { truncated: true }),
  hunks: hunks.map(({ lines, section, ...numbers }) => ({
    ...numbers,
    ...(section && { section }),
    lines: lines.join('\n'),
  })),
});
