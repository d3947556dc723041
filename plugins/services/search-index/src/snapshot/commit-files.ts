import { join } from 'node:path';

/** What is kept of the commit of a branch, so that a start need not make it again: its tree, its files laid over the shards, and the index of its paths. Each can be lost at any time. */
type Kind = 'tree' | 'view' | 'paths';

export const fileOf = (folder: string, commit: string, kind: Kind): string => join(folder, `${commit}.${kind}`);

/** The commit whose files laid over the shards a file has, by its name. */
export const commitOfView = (name: string): string | undefined => /^([0-9a-f]+)\.view$/.exec(name)?.[1];

export const isOfCommit = (name: string): boolean => /^[0-9a-f]+\.(?:tree|view|paths)$/.test(name);
