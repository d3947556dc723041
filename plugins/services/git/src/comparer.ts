import { SextantError } from '@sextant/core';
import type { Comparison, FileChange } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';
import { parseChangedFiles } from './changed-files.ts';
import type { ChangedFile } from './changed-files.ts';
import type { ComparedCommits } from './compared-commits.ts';
import type { GitProgram } from './git-process.ts';
import { latelyUsed } from './lately-used.ts';
import type { ObjectReader } from './object-reader.ts';
import { readPatches } from './patch-reader.ts';

/** Files up to which git looks for renames among changed contents; beyond, only for identical ones. */
const renameLimit = 2000;
const maxRemembered = 10_000;
const listArguments = [
  'diff-tree',
  '-r',
  '-z',
  '--raw',
  '--numstat',
  '--no-abbrev',
  '-M',
  '-C',
  `-l${renameLimit}`,
  '--no-ext-diff',
  '--no-textconv',
  '--ignore-submodules=none',
];

/** Compares commits. The files of a comparison are remembered: commits never change. */
export class Comparer {
  readonly #git: GitProgram;
  readonly #objects: ObjectReader;
  readonly #bases = latelyUsed<string>(maxRemembered);
  readonly #files: LRUCache<string, readonly ChangedFile[]>;

  constructor(git: GitProgram, objects: ObjectReader, cacheBytes: number) {
    this.#git = git;
    this.#objects = objects;
    this.#files = new LRUCache({ maxSize: cacheBytes, sizeCalculation: (files) => 400 * files.length + 200 });
  }

  /** The best common ancestor as git finds it; `base` itself where there is none. */
  async mergeBase({ folder, base, head, signal }: ComparedCommits): Promise<string> {
    const key = `${folder.cacheKey()}${base}...${head}`;
    const known = this.#bases.get(key);
    if (known !== undefined) return known;
    const output = await this.#git.run({
      gitFolder: folder.path,
      args: ['merge-base', base, head],
      signal,
      exits: [0, 1],
    });
    const found = output.toString().trim() || base;
    this.#bases.set(key, found);
    return found;
  }

  async compare(compared: ComparedCommits, page: { offset: number; limit: number }): Promise<Comparison> {
    const commits = { ...compared, base: compared.base || emptyTreeLike(compared.head) };
    const files = await this.#changedFiles(commits);
    const shown = files.slice(page.offset, page.offset + page.limit);
    const patches = await readPatches(this.#git, commits, shown);
    return {
      base: compared.base,
      head: commits.head,
      totalAdded: sum(files.map(({ added }) => added)),
      totalDeleted: sum(files.map(({ deleted }) => deleted)),
      totalModified: files.length,
      files: shown.map(
        (file, index): FileChange => ({ ...withoutIds(file), ...(patches[index] ?? { hunks: [], isTruncated: true }) }),
      ),
      totalFiles: files.length,
    };
  }

  async #changedFiles(commits: ComparedCommits): Promise<readonly ChangedFile[]> {
    const { folder, base, head, signal } = commits;
    const key = `${folder.cacheKey()}${base}..${head}`;
    const known = this.#files.get(key);
    if (known) return known;
    for (const commit of base === emptyTreeLike(head) ? [head] : [base, head])
      await this.#requireCommit(commits, commit);
    const output = await this.#git.run({ gitFolder: folder.path, args: [...listArguments, base, head], signal });
    const files = await parseChangedFiles(output);
    this.#files.set(key, files);
    return files;
  }

  async #requireCommit({ folder, signal }: ComparedCommits, commit: string): Promise<void> {
    if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit))
      throw new SextantError('invalid_argument', 'commits are compared by their full hashes');
    const object = await this.#objects.info(folder, commit, signal);
    if (object === undefined || object === 'ambiguous')
      throw new SextantError('not_found', `commit ${commit} not found`);
    if (object.type !== 'commit')
      throw new SextantError('invalid_argument', `${commit} names a ${object.type}, not a commit`);
  }
}

function withoutIds({
  oldId: _old,
  newId: _new,
  isExact: _exact,
  ...file
}: ChangedFile): Omit<FileChange, 'hunks' | 'isTruncated'> {
  return file;
}

/** The tree without entries, which git knows in every repository, in the hash function of a commit. */
const emptyTreeLike = ({ length }: string): string =>
  length === 64
    ? '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'
    : '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
