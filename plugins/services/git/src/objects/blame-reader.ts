import { rfc3339, secondsOf } from '@sextant/contracts';
import type { BlamedLine, CommitPerson } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import type { GitProgram } from '../process/git-process.ts';
import { lastLineOf, requireName } from './line-range.ts';
import type { TextReader } from './text-reader.ts';
import type { Location } from './tree-reader.ts';

const maxLines = 20_000;
const maxRemembered = 200_000;
const maxTitle = 1000;

/** From 1, inclusive; as far as they are given. */
interface LineRange {
  readonly startLine: number | undefined;
  readonly endLine: number | undefined;
}

type Origin = Omit<BlamedLine, 'line'>;

/** Tells which commits the lines of a file come from. Answers are remembered, because a commit never changes. */
export class BlameReader {
  readonly #git: GitProgram;
  readonly #texts: TextReader;
  readonly #answers = new LRUCache<string, readonly BlamedLine[]>({
    maxSize: maxRemembered,
    sizeCalculation: (lines) => lines.length + 1,
  });

  constructor(git: GitProgram, texts: TextReader) {
    this.#git = git;
    this.#texts = texts;
  }

  async lines(location: Location, { startLine = 1, endLine }: LineRange): Promise<readonly BlamedLine[]> {
    const { lineStarts } = await this.#texts.read(location);
    requireName(location.path);
    if (lineStarts.length === 0 && startLine === 1) return [];
    const last = lastLineOf({ startLine, endLine }, { inFile: lineStarts.length, most: maxLines });
    const key = `${location.key}${location.commit}:${startLine}-${last}:${location.path}`;
    const known = this.#answers.get(key);
    if (known) return known;
    const output = await this.#git.run(blameCommand(location, startLine, last));
    const cut = location.folder.historyStart.commits;
    const lines = parseBlame(output.toString(), startLine, last).map((each) =>
      cut.has(each.commit) ? { ...each, isCut: true } : each,
    );
    this.#answers.set(key, lines);
    return lines;
  }
}

function blameCommand({ folder, commit, path, signal }: Location, first: number, last: number) {
  // A mailmap would make the answer depend on HEAD.
  const settings = ['-c', 'mailmap.blob='];
  const options = ['--incremental', '--no-textconv', '--encoding=UTF-8', `-L${first},${last}`];
  return { gitFolder: folder.path, args: [...settings, 'blame', ...options, commit, '--', path], signal };
}

/** Parses `git blame --incremental`: groups of lines in any order, with the details of a commit where it is named first. */
function parseBlame(output: string, first: number, last: number): readonly BlamedLine[] {
  const origins = new Map<string, Origin>();
  const found: (Origin | undefined)[] = Array.from({ length: last - first + 1 });
  let header: { commit: string; start: number; count: number } | undefined;
  let details: Record<string, string> = {};
  for (const line of output.split('\n')) {
    const [word = '', ...rest] = line.split(' ');
    if (!header) {
      header = { commit: word, start: Number(rest[1]), count: Number(rest[2]) };
      details = {};
      continue;
    }
    details[word] = rest.join(' ');
    // The last line of each group.
    if (word !== 'filename') continue;
    const { commit, start, count } = header;
    const origin = origins.get(commit) ?? originOf(commit, details);
    origins.set(commit, origin);
    found.fill(origin, start - first, start - first + count);
    header = undefined;
  }
  return found.map((origin, index) => {
    if (!origin) throw new SextantError('unavailable', `git told no commit of line ${first + index}`);
    return { line: first + index, ...origin };
  });
}

function originOf(commit: string, details: Readonly<Record<string, string>>): Origin {
  const author: CommitPerson = {
    name: details['author'] ?? '',
    email: (details['author-mail'] ?? '').replace(/^<|>$/g, ''),
    date: rfc3339(secondsOf(details['author-time'] ?? '')),
  };
  return { commit, author, title: (details['summary'] ?? '').slice(0, maxTitle) };
}
