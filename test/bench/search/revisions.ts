import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { literally } from './cases.ts';
import { inTurnAndAlone, median, print, printHead, printRow, ratio, show } from './measured.ts';
import type { Ask } from './measured.ts';

const git = async (path: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)('git', ['-C', path, ...args], { maxBuffer: 1 << 28 })).stdout;

/** Repositories that are asked: those with most files of those that have tags. */
const repositories = 6;

/** A word in a revision that no index has and nobody asked for before, then again, beside git that reads the same files. */
export async function measureRevisions(search: (query: string) => Ask, paths: readonly string[]): Promise<void> {
  print('');
  printHead([
    'a tag that nobody asked for',
    'files',
    'not in HEAD',
    'first ms',
    'again p50 ms',
    'git grep ms',
    'ratio',
  ]);
  for (const { path, tag, blobs, head } of await largest(paths)) {
    const query = `error repo:^${literally(basename(path))}$ rev:${tag}`;
    const [own] = await inTurnAndAlone([search(query)]);
    const begun = performance.now();
    await git(path, 'grep', '-I', '-i', '-F', '-c', '-e', 'error', `refs/tags/${tag}`);
    const grep = performance.now() - begun;
    const others = blobs.filter((id) => !head.has(id));
    const cells = [`${basename(path)} ${tag}`, String(blobs.length), String(others.length)];
    printRow([...cells, show(own?.first), show(median(own?.times ?? [])), show(grep), ratio(grep, own?.first ?? 0)]);
  }
}

interface Tagged {
  readonly path: string;
  /** As many are older as are newer. */
  readonly tag: string;
  readonly blobs: readonly string[];
  readonly head: ReadonlySet<string>;
}

async function largest(paths: readonly string[]): Promise<Tagged[]> {
  const tagged: Tagged[] = [];
  for (const path of paths) {
    const tags = (
      await git(path, 'for-each-ref', '--sort=creatordate', '--format=%(refname:short)', 'refs/tags')
    ).split('\n');
    const tag = tags[Math.floor(tags.length / 2)];
    if (!tag) continue;
    tagged.push({ path, tag, blobs: await blobsOf(path, tag), head: new Set(await blobsOf(path, 'HEAD')) });
  }
  return tagged.toSorted((a, b) => b.head.size - a.head.size).slice(0, repositories);
}

const blobsOf = async (path: string, revision: string): Promise<string[]> =>
  (await git(path, 'ls-tree', '-r', '--format=%(objecttype) %(objectname)', '--end-of-options', revision))
    .split('\n')
    .filter((line) => line.startsWith('blob '))
    .map((line) => line.slice('blob '.length));
