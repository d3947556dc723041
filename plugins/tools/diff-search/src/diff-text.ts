import { noteLines } from '@sextant/contracts';
import { oneLine } from '@sextant/core';
import type { z } from 'zod';
import type { diffSearchOutput } from './index.ts';

type Answer = z.output<typeof diffSearchOutput>;

/** A heading per commit, below it the files with their hunks. */
export function toText({ results, totalCount, limitHit, notes = [] }: Answer): string {
  const found = results.length === 0 ? ['No changed lines.'] : results.map(resultText);
  const rest = `[the newest ${results.length} of ${totalCount} or more hunks; narrow the dates, authors or pattern, or raise count]`;
  return [...found, ...noteLines(notes), ...(limitHit ? [rest] : [])].join('\n');
}

function resultText(result: Answer['results'][number], index: number, all: Answer['results']): string {
  const { repository, commit, authorName, date, message, path, diffHunk } = result;
  const before = all[index - 1];
  const isSame = before?.commit === commit && before.repository === repository;
  const title = message.split('\n', 1)[0] ?? '';
  const heading = `# ${repository} ${commit.slice(0, 12)} ${date.slice(0, 10)} ${authorName}: ${title}`;
  return [...[...(isSame ? [] : [heading]), `## ${path}`].map(oneLine), diffHunk].join('\n');
}
