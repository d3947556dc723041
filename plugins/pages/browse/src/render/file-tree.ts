import type { TreeEntry } from '@sextant/contracts';
import { oneLine } from '@sextant/core';
import { html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { linkTo } from '../visit.ts';
import type { Visit } from '../visit.ts';

const mostEntries = 500;

/** The folders above a file with what is in them: the tree beside a file. A script opens other folders where they stand. */
export async function fileTree(visit: Visit, commit: string, path: string): Promise<Content> {
  const parts = path.split('/').slice(0, -1);
  const folders = ['', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))];
  const listings = await Promise.all(folders.map((folder) => entriesOf(visit, commit, folder)));
  const open = new Map(folders.map((folder, index) => [folder, listings[index] ?? []]));
  return html`<nav class="file-tree" aria-label="File tree">${branch(visit, '', { open, path })}</nav>`;
}

/** The entries of one folder, which a script puts below it. */
export const treePart = async (visit: Visit, commit: string, folder: string): Promise<Content> =>
  branch(visit, folder, { open: new Map([[folder, await entriesOf(visit, commit, folder)]]), path: '' });

async function entriesOf({ repository, call }: Visit, commit: string, path: string): Promise<readonly TreeEntry[]> {
  return (await repository.listTree({ commit, path, limit: mostEntries }, call.signal)).entries;
}

interface OpenFolders {
  readonly open: ReadonlyMap<string, readonly TreeEntry[]>;
  /** Of the file that is shown. */
  readonly path: string;
}

const branch = (visit: Visit, folder: string, shown: OpenFolders): Content =>
  html`<ul>
    ${shown.open.get(folder)?.map((entry) => html`<li>${leaf(visit, entry, shown)}</li>`)}
  </ul>`;

function leaf(visit: Visit, { path, kind }: TreeEntry, shown: OpenFolders): Content {
  const name = oneLine(path.slice(path.lastIndexOf('/') + 1));
  if (kind !== 'directory')
    return html`<a href=${linkTo(visit, 'blob', path)} aria-current=${path === shown.path ? 'page' : undefined}>${name}</a>`;
  const isOpen = shown.open.has(path);
  return html`<a class="folder" href=${linkTo(visit, 'tree', path)} data-open=${isOpen} data-part=${linkTo(visit, 'tree', { path, query: { part: '' } })}>${name}</a>
    ${isOpen && branch(visit, path, shown)}`;
}
