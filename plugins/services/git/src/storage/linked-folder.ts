import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { commonFolderOf, pointedTo } from './git-folder.ts';
import { readRegular } from './regular-file.ts';

const maxBytes = 64 * 1024;

/**
 * The data of a work tree whose `.git` is a file, if that folder says in turn that the work tree is its own: who may write only to the
 * work tree cannot make another repository say that. Git writes it for linked work trees (`gitdir`) and for submodules (`core.worktree`).
 */
export function linkedFolderOf(workTree: string): string | undefined {
  const file = join(workTree, '.git');
  const pointed = pointedTo(file);
  const gitFolder = pointed === undefined ? undefined : realPath(pointed);
  if (gitFolder === undefined) return undefined;
  const back = textOf(join(gitFolder, 'gitdir'))?.trim();
  const own = /^\s*worktree = (.+)$/m.exec(textOf(join(gitFolder, 'config')) ?? '')?.[1];
  const workTrees = [
    back === undefined ? undefined : dirname(resolve(gitFolder, back)),
    own && resolve(gitFolder, own),
  ];
  const isKnown = workTrees.some((path) => path !== undefined && realPath(path) === workTree);
  return isKnown ? commonFolderOf(gitFolder) : undefined;
}

const textOf = (file: string): string | undefined => readRegular(file, maxBytes)?.toString('utf8');

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
