import { escapeRegExp } from '@sextant/core';
import { execFileSync } from 'node:child_process';
import type { CommitRequest } from '@sextant/contracts';
import { OracleRandom } from '@sextant/contracts/testing';

export interface RandomRequestsOptions {
  readonly repository: string;
  readonly seed: number;
  /** Newest commits that are looked at: git needs a minute for each search of a long history. */
  readonly commits: number;
}

/** Searches whose words, expressions, authors, dates and paths come from a real history. */
export class RandomRequests {
  readonly #repository: string;
  readonly #random: OracleRandom;
  readonly #hashes: readonly [string, ...string[]];
  readonly #revisions: readonly string[];

  constructor({ repository, seed, commits }: RandomRequestsOptions) {
    this.#repository = repository;
    this.#random = new OracleRandom(seed);
    this.#hashes = this.#git('rev-list', `--max-count=${commits}`, 'HEAD');
    const total = Number(this.#git('rev-list', '--count', 'HEAD')[0]);
    const oldest = this.#hashes.at(-1) ?? '';
    this.#revisions = total > this.#hashes.length ? ['HEAD', `^${oldest}`] : [];
  }

  next(): CommitRequest {
    const isRegex = this.#random.below(3) === 0;
    const maybe = (chance: number, make: () => string): string[] => {
      if (this.#random.below(chance) > 0) return [];
      const text = make();
      return [isRegex ? this.#regexOf(text) : text];
    };
    const [after, before] = [this.#date(), this.#date()].toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
    const isWindow = this.#random.below(4) === 0 && after !== undefined && before !== undefined;
    return {
      repositories: ['r'],
      contents: maybe(2, () => this.#content()),
      messages: maybe(4, () => this.#wordOf(this.#shown('%B'))),
      authors: maybe(5, () => this.#wordOf(this.#shown('%an <%ae>'))),
      paths: this.#random.below(4) === 0 ? [this.#path(), ...(this.#random.below(3) === 0 ? [this.#path()] : [])] : [],
      ...(isWindow && { after, before }),
      revisions: this.#revisions,
      isRegex,
      count: 1_000_000,
    };
  }

  /** A word of a changed line. */
  nextWord(): { readonly word: string; readonly request: CommitRequest } {
    const word = this.#content().match(/\w{3,}/)?.[0] ?? 'return';
    const nothing = { messages: [], authors: [], paths: [], isRegex: false };
    return {
      word,
      request: { ...nothing, repositories: ['r'], contents: [word], revisions: this.#revisions, count: 1 },
    };
  }

  #git(...args: readonly string[]): [string, ...string[]] {
    const output = execFileSync('git', ['-C', this.#repository, ...args], { maxBuffer: Infinity }).toString();
    const [first = '', ...rest] = output.split('\n').filter((line) => line !== '');
    return [first, ...rest];
  }

  #shown(format: string): readonly string[] {
    return this.#git('show', '--no-patch', `--format=${format}`, this.#random.pick(this.#hashes));
  }

  #date(): string {
    return `@${this.#shown('%ct')[0] ?? 0}`;
  }

  #content(): string {
    const lines = this.#git('show', '--format=', '-U0', '--no-renames', this.#random.pick(this.#hashes));
    return this.#wordOf(lines.filter((line) => /^[+-](?![+-]{2})/.test(line)).map((line) => line.slice(1)));
  }

  /** Beyond ASCII only what has no case: git folds bytes, we fold characters. */
  #wordOf(lines: readonly string[]): string {
    const foreign = lines.flatMap((line) => line.match(beyondASCII) ?? []).filter(isCaseless);
    if (foreign.length > 0 && this.#random.below(2) === 0) return foreign[this.#random.below(foreign.length)] ?? '';
    const line = lines[this.#random.below(Math.max(1, lines.length))] ?? '';
    const form = this.#random.below(4) === 0 ? /[!-~]{3,12}/g : /[A-Za-z_]\w{2,20}/g;
    const found = line.match(form) ?? [];
    return found[this.#random.below(Math.max(1, found.length))] ?? 'return';
  }

  #path(): string {
    const commit = this.#random.pick(this.#hashes);
    const changed = this.#git('show', '--format=', '--name-only', commit).filter((path) => /^[\w./-]+$/.test(path));
    const path = changed[this.#random.below(Math.max(1, changed.length))] ?? 'README.md';
    const parts = path.split('/');
    const folder = parts.slice(0, 1 + this.#random.below(parts.length)).join('/');
    const forms: [string, ...string[]] = [path, folder, `*${/\.\w+$/.exec(path)?.[0] ?? ''}`, `${path.slice(0, 3)}*`];
    return this.#random.pick(forms);
  }

  /** Nothing that could match a line's end: git shows it to expressions. Beyond ASCII it would repeat bytes. */
  #regexOf(word: string): string {
    const safe = escapeRegExp(word);
    if (!/^[!-~]*$/.test(word)) return safe;
    const [head, tail] = [escapeRegExp(word.slice(0, 2)), escapeRegExp(word.slice(-1))];
    return this.#random.pick([
      `^${safe}`,
      `${head}[a-z]+${tail}`,
      `(${safe}|never_there)`,
      `[0-9a-f]${safe}`,
      `${head}.*${tail}`,
      `${safe}?[0-9]`,
      `${head}[^x ]{2,4}`,
    ]);
  }
}

/** What is no UTF-8 has been replaced. */
const beyondASCII = /[^\p{ASCII}\ufffd]{1,6}/gu;
const isCaseless = (text: string): boolean => text.toLowerCase() === text.toUpperCase();
