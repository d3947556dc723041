import { noteLines } from '@sextant/contracts';
import { oneLine, visible } from '@sextant/core';
import type { z } from 'zod';
import type { commitSearchOutput } from './index.ts';

type Answer = z.output<typeof commitSearchOutput>;

/** A line per commit, the rest of its message below. */
export function toText({ commits, totalCount, limitHit, notes = [] }: Answer): string {
  const found = commits.length === 0 ? ['No commits.'] : commits.map(commitText);
  const rest = `[the newest ${commits.length} of ${totalCount} or more; narrow the dates or terms, or raise count]`;
  return [...found, ...noteLines(notes), ...(limitHit ? [rest] : [])].join('\n');
}

function commitText({ repository, commit, author, date, title, message }: Answer['commits'][number]): string {
  const body = visible(message.slice(title.length)).trim();
  const lines = body === '' ? [] : body.split('\n').map((line) => `    ${line}`.trimEnd());
  return [oneLine(`${repository} ${commit.slice(0, 12)} ${date.slice(0, 10)} ${author}: ${title}`), ...lines].join(
    '\n',
  );
}
