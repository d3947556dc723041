/** A file of the corpus that a search is checked on. */
export interface OracleFile {
  readonly repo: string;
  readonly path: string;
  readonly text: string;
}

/** A query as a tree, which is printed for the engine and evaluated here the plain way. */
export type OracleQuery =
  | { readonly kind: 'word' | 'phrase'; readonly text: string }
  | { readonly kind: 'regex' | 'file' | 'repo'; readonly pattern: string }
  | { readonly kind: 'and' | 'or'; readonly children: readonly OracleQuery[] }
  | { readonly kind: 'not'; readonly child: OracleQuery };

/** The query as people write it. */
export function printOracle(query: OracleQuery): string {
  switch (query.kind) {
    case 'word':
      return query.text;
    case 'phrase':
      return `"${query.text}"`;
    case 'regex':
      return `/${query.pattern}/`;
    case 'file':
    case 'repo':
      return `${query.kind}:${query.pattern}`;
    case 'not':
      return `-${printOracle(query.child)}`;
    default:
      return `(${query.children.map(printOracle).join(query.kind === 'or' ? ' OR ' : ' ')})`;
  }
}

/** A final line end begins no line. */
const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** Whether a file is a result: terms in the text or the path, in any case unless said, regular expressions within a line. */
export function isFound(query: OracleQuery, file: OracleFile, isCaseSensitive = false): boolean {
  const found = (child: OracleQuery): boolean => isFound(child, file, isCaseSensitive);
  switch (query.kind) {
    case 'word':
    case 'phrase': {
      const comparable = (text: string): string => (isCaseSensitive ? text : text.toLowerCase());
      return [file.text, file.path].some((text) => comparable(text).includes(comparable(query.text)));
    }
    case 'regex': {
      const pattern = new RegExp(query.pattern, isCaseSensitive ? 's' : 'is');
      return linesOf(file.text).some((line) => pattern.test(line)) || pattern.test(file.path);
    }
    case 'file':
      return new RegExp(query.pattern, 'i').test(file.path);
    case 'repo':
      return new RegExp(query.pattern, 'i').test(file.repo);
    case 'not':
      return !found(query.child);
    case 'and':
      return query.children.every(found);
    case 'or':
      return query.children.some(found);
  }
}

/** Random queries and texts, the same for the same seed. */
export class OracleRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number below a bound (mulberry32). */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % bound;
  }

  pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.below(list.length)] ?? list[0];
  }

  query(depth = 3): OracleQuery {
    const kind = this.below(depth > 0 ? 9 : 5);
    if (kind === 0) return { kind: 'regex', pattern: this.pick(patterns) };
    if (kind === 1) return { kind: 'file', pattern: this.pick(pathPatterns) };
    if (kind === 2) return { kind: 'phrase', text: `${this.pick(words)} ${this.pick(words)}` };
    if (kind < 5) return { kind: 'word', text: this.pick(words) };
    if (kind === 5) return { kind: 'not', child: this.query(depth - 1) };
    const children = Array.from({ length: 1 + this.below(3) }, () => this.query(depth - 1));
    return { kind: kind === 6 ? 'or' : 'and', children };
  }

  /** A text of some lines, now and then without its last line end, empty, or with other line ends. */
  text(): string {
    const lines = Array.from({ length: this.below(40) }, () =>
      Array.from({ length: this.below(8) }, () => this.pick(words)).join(this.pick([' ', ' ', ', ', ''])),
    );
    return lines.join(this.pick(['\n', '\n', '\r\n'])) + this.pick(['\n', '\n', '']);
  }
}

const words = [
  'parse',
  'Config',
  'parseConfig',
  'error',
  'ERROR',
  'x',
  'foo',
  'fooBar',
  'return',
  'if',
  'über',
  'straße',
  'naïve',
  'a1',
  '42',
  'zebra',
] as const;
const patterns = [
  'fo+',
  'parse\\w+',
  '^return',
  'error$',
  '[0-9]{2}',
  '\\bfoo\\b',
  '(if|x)[ ,]',
  'z.*a',
  '^$',
] as const;
const pathPatterns = ['src', '\\.ts$', '^doc', 'foo', 'a/b', '[0-9]'] as const;
