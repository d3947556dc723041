import { basename, dirname } from 'node:path/posix';
import type { PathMention } from '@sextant/library-ranking';
import { turn } from '../turn.ts';
import type { Tree } from './trees.ts';

/** A file that a task names. */
export interface MentionedFile {
  /** 1 where the task can mean no other file; less, the more there are. */
  readonly share: number;
  /** Lines that the task names. */
  readonly lines: readonly number[];
}

/** Folders of a mention that are compared; what lies deeper is named by its end. */
const mostSegments = 100;
/** Paths that are looked at before others get the event loop. */
const pathsAtOnce = 1000;

/** The files of a commit by their names, and the folders by theirs. */
interface PathNames {
  readonly files: ReadonlyMap<string, readonly string[]>;
  readonly folders: ReadonlyMap<string, readonly string[]>;
}

const known = new WeakMap<Tree, Promise<PathNames>>();

/** The files that the paths of a task may mean: those whose path ends so, or the files below that folder. */
export async function mentionedFiles(
  mentions: readonly PathMention[],
  tree: Tree,
): Promise<Map<string, MentionedFile>> {
  const found = new Map<string, MentionedFile>();
  if (mentions.length === 0) return found;
  const names = known.get(tree) ?? namesOf(tree);
  known.set(tree, names);
  const byName = await names;
  for (const { path, line } of mentions) {
    const matching = await pathsEndingIn(path, tree, byName);
    for (const match of matching) {
      const before = found.get(match) ?? { share: 0, lines: [] };
      const share = Math.max(before.share, 1 / Math.sqrt(matching.length));
      found.set(match, { share, lines: line === undefined ? before.lines : [...before.lines, line] });
    }
  }
  return found;
}

/** What a path ends with, the longest first: from each of its folders on. */
export function endsOf(path: string): string[] {
  const segments = path.split('/').slice(-mostSegments);
  return segments.map((_, from) => segments.slice(from).join('/'));
}

/** Leading folders that the repository does not know (of another machine, of a URL) are left away. */
async function pathsEndingIn(mention: string, tree: Tree, { files, folders }: PathNames): Promise<readonly string[]> {
  const ends = endsOf(mention);
  const last = ends.at(-1) ?? '';
  const named = { files: files.get(last) ?? [], folders: folders.get(last) ?? [] };
  for (const [from, end] of ends.entries()) {
    await turn.share();
    if (from > 0 && from === ends.length - 1 && !/\.\w+$/.test(end)) break;
    const isEnding = (path: string): boolean => path === end || path.endsWith(`/${end}`);
    const matching = named.files.filter(isEnding);
    if (matching.length > 0) return matching;
    const around = ends.length > 1 ? named.folders.filter(isEnding) : [];
    if (around.length > 0) return filesBelow(new Set(around), tree);
  }
  return [];
}

async function filesBelow(around: ReadonlySet<string>, tree: Tree): Promise<string[]> {
  const below: string[] = [];
  let seen = 0;
  for (const path of tree.keys()) {
    if (seen++ % pathsAtOnce === 0) await turn.share();
    if (foldersOf(path).some((folder) => around.has(folder))) below.push(path);
  }
  return below;
}

async function namesOf(tree: Tree): Promise<PathNames> {
  const files = new Map<string, string[]>();
  const folders = new Set<string>();
  let seen = 0;
  for (const path of tree.keys()) {
    if (seen++ % pathsAtOnce === 0) await turn.share();
    append(files, path);
    // The folders around one that is known are known.
    for (let folder = dirname(path); folder !== '.' && !folders.has(folder); folder = dirname(folder))
      folders.add(folder);
  }
  const byName = new Map<string, string[]>();
  for (const folder of folders) {
    if (seen++ % pathsAtOnce === 0) await turn.share();
    append(byName, folder);
  }
  return { files, folders: byName };
}

function append(lists: Map<string, string[]>, path: string): void {
  const name = basename(path);
  const list = lists.get(name);
  if (list) list.push(path);
  else lists.set(name, [path]);
}

/** The folders around a path, the nearest first. */
function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) folders.push(path.slice(0, end));
  return folders;
}
