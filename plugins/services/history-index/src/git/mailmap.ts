import { buffer } from 'node:stream/consumers';
import type { StoredRepository } from '@sextant/contracts';
import { identityText, mailmapSettings } from './commit-record.ts';
import type { Identity } from './commit-record.ts';
import { textOf } from './text.ts';

/** What git can read as a contact; what is odder stays as it is written. */
const contact = /^[^<>\n\0]*<[^<>\n\0]*>$/;

/** What is longer, of a commit or a folder, is not looked at: it may have one. */
const maxBytes = 1 << 20;

/** The identities that the mailmap of HEAD changes, as written and as mapped. */
export async function mappedIdentities(
  repository: StoredRepository,
  people: readonly Identity[],
  signal: AbortSignal,
): Promise<(readonly [written: Identity, mapped: Identity])[]> {
  const asked = people.filter((person) => contact.test(identityText(person)));
  if (asked.length === 0 || !(await mayHaveMailmap(repository, signal))) return [];
  const input = [Buffer.from(asked.map((person) => `${identityText(person)}\n`).join(''))];
  const args = [...mailmapSettings, 'check-mailmap', '--stdin'];
  const output = await buffer(repository.stream({ args, input, signal, isBackground: true }));
  const lines = textOf(output).split('\n');
  return asked.flatMap((written, index) => {
    const [, name, email] = /^(.*?) ?<([^<>]*)>$/.exec(lines[index] ?? '') ?? [];
    if (name === undefined || email === undefined) return [];
    return name === written.name && email === written.email ? [] : [[written, { name, email }] as const];
  });
}

/** Asked of a process of git that is there: to start one stops a large server for longer, and most repositories have none. */
async function mayHaveMailmap(repository: StoredRepository, signal: AbortSignal): Promise<boolean> {
  const read = async (id: string | undefined): Promise<string> => {
    const object = id === undefined ? undefined : await repository.object(id, { maxBytes, signal });
    return Buffer.from(object?.content ?? []).toString('latin1');
  };
  const [, tree] = /^tree ([0-9a-f]+)\n/.exec(await read(await repository.head(signal))) ?? [];
  const files = await read(tree);
  return files === '' || files.includes(' .mailmap\0');
}
