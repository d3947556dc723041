import { execFileSync } from 'node:child_process';
import type { Query } from '@sextant/library-query';
import { languagePattern } from '@sextant/library-search-results';

type Term = Extract<Query, { kind: 'literal' | 'regex' }>;

const mostBytes = 1 << 20;

/** What `git grep` finds in HEAD of a repository, in the files that a search reads as they are: text in UTF-8, not too large. */
export class GrepOracle {
  /** Their text by their path. */
  readonly files: ReadonlyMap<string, string>;
  readonly #repository: string;

  constructor(repository: string) {
    this.#repository = repository;
    this.files = new Map(this.#readFiles());
  }

  /** How many lines of each file match; files that only their path matches have none. */
  linesWith(term: Term): Map<string, number> {
    const pattern = term.kind === 'literal' ? ['-F', '-e', term.text] : ['-P', '-e', term.pattern];
    const fold = term.isCaseSensitive ? [] : ['-i'];
    const found = new Map([...this.#withPath(term)].map((path) => [path, 0]));
    for (const record of this.#grep(['-a', '-z', '-c', ...fold, ...pattern, 'HEAD'])) {
      const [path = '', count] = record;
      if (this.files.has(path)) found.set(path, Number(count));
    }
    return found;
  }

  filesOf(query: Query): Set<string> {
    switch (query.kind) {
      case 'and':
        return query.children
          .map((child) => this.filesOf(child))
          .reduce((all, files) => only(all, (path) => files.has(path)));
      case 'or':
        return new Set(query.children.flatMap((child) => [...this.filesOf(child)]));
      case 'not': {
        const others = this.filesOf(query.child);
        return only(this.files.keys(), (path) => !others.has(path));
      }
      case 'literal':
      case 'regex':
        return new Set(this.linesWith(query).keys());
      case 'file':
        return this.#matching(new RegExp(query.pattern, 'i'));
      case 'lang':
        return this.#matching(new RegExp(languagePattern(query.name) ?? '$^', 'i'));
      default:
        throw new Error(`git grep knows nothing of ${query.kind}`);
    }
  }

  #withPath(term: Term): Set<string> {
    const source = term.kind === 'literal' ? term.text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : term.pattern;
    return this.#matching(new RegExp(source, term.isCaseSensitive ? '' : 'i'));
  }

  #matching(expression: RegExp): Set<string> {
    return only(this.files.keys(), (path) => expression.test(path));
  }

  /** Path and count of each line of the output; where nothing is found git fails. */
  *#grep(options: readonly string[]): Generator<[string, string]> {
    for (const line of this.#git(['grep', ...options])
      .toString()
      .split('\n')) {
      const [path, count] = line.split('\0');
      if (path !== undefined && count !== undefined) yield [path.slice('HEAD:'.length), count];
    }
  }

  *#readFiles(): Generator<[string, string]> {
    const entries = this.#git(['ls-tree', '-r', '-z', '-l', 'HEAD']).toString().split('\0').slice(0, -1);
    const wanted = entries.flatMap((entry) => {
      const [, type, id, size, path] = /^(\S+) \S+ (\S+) +(\S+)\t([^]*)$/.exec(entry) ?? [];
      return type?.startsWith('100') && Number(size) <= mostBytes && id && path ? [{ id, path }] : [];
    });
    const output = this.#git(['cat-file', '--batch'], wanted.map(({ id }) => id).join('\n'));
    let at = 0;
    for (const { path } of wanted) {
      const start = output.indexOf('\n', at) + 1;
      const size = Number(output.toString('latin1', at, start - 1).split(' ')[2]);
      const text = textOf(output.subarray(start, start + size));
      at = start + size + 1;
      if (text !== undefined) yield [path, text];
    }
  }

  #git(args: readonly string[], input = ''): Buffer {
    const env = { ...process.env, LC_ALL: 'C' };
    try {
      return execFileSync('git', ['-C', this.#repository, ...args], { input, env, maxBuffer: 1 << 30, stdio: 'pipe' });
    } catch (error) {
      if (args[0] === 'grep' && error instanceof Error && 'status' in error && error.status === 1)
        return Buffer.alloc(0);
      throw error;
    }
  }
}

const only = (paths: Iterable<string>, isWanted: (path: string) => boolean): Set<string> =>
  new Set([...paths].filter(isWanted));

/** Undefined for what is read otherwise than it stands there, or not at all. */
function textOf(bytes: Buffer): string | undefined {
  const text = bytes.toString();
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb;
  return bytes.includes(0) || hasMark || text.includes('\ufffd') ? undefined : text;
}
