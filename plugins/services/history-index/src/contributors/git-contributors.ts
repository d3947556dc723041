import { secondsOf } from '@sextant/contracts';
import type { StoredRepository } from '@sextant/contracts';
import { mailmapSettings } from '../git/commit-record.ts';
import { textOf } from '../git/text.ts';

/** What one identity did on the default branch; merges do not count. */
export interface Person {
  /** `Name <e-mail>`, as written and as the mailmap maps it. */
  readonly written: string;
  readonly mapped: string;
  commits: number;
  /** Committer date of the newest in seconds since 1970. */
  latest: number;
}

/** Everyone who committed to what is reachable from a commit. */
export async function peopleOf(repository: StoredRepository, head: string, signal: AbortSignal): Promise<Person[]> {
  const format = '--format=tformat:%ct %an <%ae>%x00%aN <%aE>';
  const settings = [...mailmapSettings, '-c', 'log.showSignature=false'];
  const args = [...settings, 'log', '--no-merges', '--encoding=UTF-8', format, '--end-of-options', head];
  const people = new Map<string, Person>();
  let rest = Buffer.alloc(0);
  for await (const chunk of repository.stream({ args, maxBytes: Infinity, signal })) {
    rest = Buffer.concat([rest, chunk]);
    const end = rest.lastIndexOf('\n');
    if (end < 0) continue;
    for (const line of textOf(rest.subarray(0, end)).split('\n')) count(people, line);
    rest = rest.subarray(end + 1);
  }
  return [...people.values()];
}

function count(people: Map<string, Person>, line: string): void {
  const space = line.indexOf(' ');
  const key = line.slice(space + 1);
  const time = secondsOf(line.slice(0, space));
  const person = people.get(key);
  if (person) {
    person.commits += 1;
    person.latest = Math.max(person.latest, time);
    return;
  }
  const [written = '', mapped = ''] = key.split('\0');
  people.set(key, { written, mapped, commits: 1, latest: time });
}
