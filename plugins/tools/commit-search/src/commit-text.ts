import type { z } from 'zod';
import type { commitSearchOutput } from './index.ts';

type Answer = z.output<typeof commitSearchOutput>;

/** A line per commit, the rest of its message below. */
export function toText({ commits, totalCount, limitHit, notes = [] }: Answer): string {
  const found = commits.length === 0 ? ['No commits.'] : commits.map(commitText);
  const rest = `[the newest ${commits.length} of ${totalCount} or more; narrow the dates or terms, or raise count]`;
  return [...found, ...notes.map((note) => `[${note}]`), ...(limitHit ? [rest] : [])].join('\n');
}

function commitText({ repository, commit, author, date, title, message }: Answer['commits'][number]): string {
  const body = message.slice(title.length).trim();
  const lines = body === '' ? [] : body.split('\n').map((line) => `    ${line}`.trimEnd());
  return [`${repository} ${commit.slice(0, 12)} ${date.slice(0, 10)} ${author}: ${title}`, ...lines].join('\n');
}
