import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { RepositoryBuilder } from './repository-builder.ts';

export interface TreeBomb {
  readonly levels: number;
  readonly width: number;
  /** What each name begins with. */
  readonly name?: string;
  readonly branch?: string;
}

/** A tree whose entries all lead to one object: `width` to the power of `levels` paths in `levels` + 2 objects. Answers the commit on `branch`. */
export function commitTreeBomb(
  builder: RepositoryBuilder,
  { levels, width, name = '', branch = builder.branch }: TreeBomb,
): string {
  const names = Array.from({ length: width }, (_, number) => name + String(number).padStart(6, '0'));
  let entry = { mode: '100644', id: builder.writeObject('blob', Buffer.from('boom\n')) };
  for (let level = 0; level < levels; level += 1)
    entry = { mode: '40000', id: builder.writeObject('tree', treeOf(namedAs(names, entry))) };
  return commitTree(builder, entry.id, branch);
}

/** One file below so many folders, each with a name of one letter. Answers the commit on the default branch. */
export function commitDeepTree(builder: RepositoryBuilder, levels: number): string {
  const objects = join(builder.git('rev-parse', '--absolute-git-dir'), 'objects');
  let entry = { mode: '100644', id: builder.writeObject('blob', Buffer.from('deep\n')) };
  for (let level = 0; level < levels; level += 1)
    entry = { mode: '40000', id: writeTree(objects, treeOf(namedAs(['d'], entry))) };
  return commitTree(builder, entry.id, builder.branch);
}

interface Entry {
  mode: string;
  id: string;
}

const namedAs = (names: readonly string[], { mode, id }: Entry): (Entry & { name: string })[] =>
  names.map((name) => ({ name, mode, id }));

const treeOf = (entries: readonly (Entry & { name: string })[]): Buffer =>
  Buffer.concat(entries.flatMap(({ mode, name, id }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]));

/** Without a process of git for each. */
function writeTree(objects: string, content: Buffer): string {
  const object = Buffer.concat([Buffer.from(`tree ${content.length}\0`), content]);
  const id = createHash('sha1').update(object).digest('hex');
  mkdirSync(join(objects, id.slice(0, 2)), { recursive: true });
  writeFileSync(join(objects, id.slice(0, 2), id.slice(2)), deflateSync(object));
  return id;
}

function commitTree(builder: RepositoryBuilder, tree: string, branch: string): string {
  const commit = builder.git('commit-tree', '-m', 'made of few objects', tree);
  builder.git('update-ref', `refs/heads/${branch}`, commit);
  return commit;
}
