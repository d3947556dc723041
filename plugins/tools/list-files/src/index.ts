import { Repositories, path, repo, revision } from '@sextant/contracts';
import type { TreeEntry } from '@sextant/contracts';
import { definePlugin, defineTool, oneLine } from '@sextant/core';
import { z } from 'zod';

const maxEntries = 1000;

export const listFiles = defineTool({
  name: 'list_files',
  title: 'List a folder',
  description: `Lists what is directly in a folder at any revision, folders first; at most ${maxEntries} entries.`,
  guidance: { begin: 'list_files lists one folder, the root where no path is given.' },
  endpoints: ['default'],
  needs: { repositories: Repositories },
  input: z.object({
    repo,
    path: path.default('').describe('Folder; default: the root'),
    revision,
  }),
  output: z.object({
    files: z.array(z.object({ path: z.string(), isDirectory: z.boolean() })).max(maxEntries),
    truncated: z.boolean(),
  }),
  async run({ repo: name, path: folder, revision: wanted }, { repositories }, { caller, signal, noteRepository }) {
    const repository = await repositories.open(caller, name);
    noteRepository?.(repository.info.name);
    const commit = await repository.resolve(wanted, signal);
    const listed = { commit, path: isRoot(folder) ? '' : folder, limit: maxEntries };
    const { entries, isTruncated } = await repository.listTree(listed, signal);
    return { files: entries.map(toFile), truncated: isTruncated };
  },
  rest: 'list a folder in it, or search for a file by its name',
  cuts: { of: [['files']], flags: ['truncated'] },
  toText: ({ files, truncated }) => {
    const lines = files.length === 0 ? ['(no files)'] : files.map(({ path: file }) => oneLine(file));
    const rest = `[cut after ${maxEntries} entries; list a folder in it, or search for a file by its name]`;
    return [...lines, ...(truncated ? [rest] : [])].join('\n');
  },
  filesOf: ({ files }) => files.filter(({ isDirectory }) => !isDirectory).map(({ path: file }) => file),
});

export default definePlugin({ name: 'tool-list-files', tools: [listFiles] });

/** Other ways of writing the root, which clients use. */
const isRoot = (folder: string): boolean => ['/', '.', './'].includes(folder);

function toFile({ path: file, kind }: TreeEntry): { path: string; isDirectory: boolean } {
  const isDirectory = kind === 'directory';
  return { path: isDirectory ? `${file}/` : file, isDirectory };
}
