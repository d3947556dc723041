import { escapeRegExp, SextantError } from '@sextant/core';
import { filterList } from '@sextant/contracts';
import type { CommitFilter, FilterDefinition, ParsedQuery, Query } from '@sextant/contracts';
import { windowOf } from './dates.ts';
import type { HistoryPatterns } from './patterns.ts';
import type { Clause, Wanted } from './wanted.ts';

/** What a query of the query language asks of history. */
export interface QueryQuestion {
  readonly type: 'commit' | 'diff';
  /** Of names of repositories. */
  readonly repositories: readonly Clause[];
  readonly revisions: readonly string[];
  readonly wanted: Wanted;
  /** Undefined where the query has no `count:`. */
  readonly count: number | 'all' | undefined;
  /** Remarks of the parser. */
  readonly notes: readonly string[];
}

type Field = 'repo' | 'author' | 'message' | 'line' | 'file';

/** Throws `invalid_argument`, also for a query that asks for something else. */
export function questionOf(
  patterns: HistoryPatterns,
  { query, options, notes }: ParsedQuery,
  now: Date,
): QueryQuestion {
  const type = options.types.find((each) => each === 'commit' || each === 'diff');
  if (type === undefined) throw refusal('the query asks for no history; write type:commit or type:diff');
  if (options.types.length > 1) throw refusal(`type:${type} cannot be combined with another type:`);
  if (options.select !== undefined) throw refusal(`select: is not for type:${type}`);
  const parts = query.kind === 'and' ? query.children : [query];
  const clauses = new Clauses(patterns, type);
  for (const part of parts) clauses.add(part);
  const { repositories, revisions, ...wanted } = clauses.question(now);
  return { type, repositories, revisions, wanted, count: options.count, notes };
}

/** Sorts the parts of a query by what they are about. */
class Clauses {
  readonly #patterns: HistoryPatterns;
  readonly #type: 'commit' | 'diff';
  readonly #clauses: Readonly<Record<Field, Clause[]>> = { repo: [], author: [], message: [], line: [], file: [] };
  readonly #single = new Map<string, Query>();

  constructor(patterns: HistoryPatterns, type: 'commit' | 'diff') {
    this.#patterns = patterns;
    this.#type = type;
  }

  add(part: Query): void {
    if (part.kind === 'all') return;
    if (part.kind in given) {
      if (this.#single.has(part.kind)) throw refusal(`${filterOf(part.kind)} can be given once`);
      this.#single.set(part.kind, part);
      return;
    }
    const isNegated = part.kind === 'not';
    const positive = isNegated ? part.child : part;
    const leaves = positive.kind === 'or' ? positive.children : [positive];
    const clauses = leaves.map((leaf) => this.#leaf(leaf));
    const [first] = clauses;
    if (!first || clauses.some(({ field, foldCase }) => field !== first.field || foldCase !== first.foldCase))
      throw refusal('OR joins values of one filter, or words, of the same case:');
    if (isNegated && first.field === 'line') throw refusal('a changed line cannot be excluded');
    const { field, foldCase } = first;
    const list = { patterns: clauses.map(({ regex }) => regex), argument: 'query', isRegex: true, foldCase };
    this.#clauses[field].push({ regex: this.#patterns.regexOf(list) ?? '', foldCase, isNegated });
  }

  question(now: Date): Wanted & Pick<QueryQuestion, 'repositories' | 'revisions'> {
    const { repo, author, message, line, file } = this.#clauses;
    const [content, second] = line;
    if (second)
      throw refusal(
        'one text is looked for in changed lines: write "a b" for words side by side, (a OR b), or /a.*b/ for both in a line',
      );
    if (this.#type === 'diff' && !content)
      throw refusal('type:diff needs a text or /regex/ to look for in changed lines');
    const [revisions, after, before, side] = ['rev', 'after', 'before', 'diff'].map((kind) => this.#single.get(kind));
    const dates = {
      ...(after && 'date' in after && { after: after.date }),
      ...(before && 'date' in before && { before: before.date }),
    };
    return {
      repositories: repo,
      revisions: revisions && 'revisions' in revisions ? revisions.revisions : [],
      window: windowOf(dates, now),
      authors: author,
      messages: message,
      paths: file,
      content,
      sides: side && 'side' in side ? [side.side] : ['added', 'removed'],
    };
  }

  #leaf(leaf: Query): { field: Field; regex: string; foldCase: boolean } {
    const ofTerm = this.#type === 'diff' ? 'line' : 'message';
    switch (leaf.kind) {
      case 'literal':
        return { field: ofTerm, regex: escapeRegExp(leaf.text), foldCase: !leaf.isCaseSensitive };
      case 'regex':
        return { field: ofTerm, regex: leaf.pattern, foldCase: !leaf.isCaseSensitive };
      case 'repo':
      case 'author':
      case 'message':
      case 'line':
      case 'file':
        return { field: leaf.kind, regex: leaf.pattern, foldCase: true };
      default:
        throw refusal(`${filterOf(leaf.kind)} is not for type:${this.#type}, or not inside another group`);
    }
  }
}

/** Filters that can be given once. Those of commits are either here or clauses; all others are refused. */
const given = { rev: true, after: true, before: true, diff: true } satisfies Record<
  'rev' | Exclude<CommitFilter['kind'], Field>,
  true
>;

const filterOf = (kind: string): string =>
  ({
    and: 'a group of several kinds',
    not: 'NOT',
    none: 'nothing',
    'repo-has-path': 'repo:has.path',
    'repo-has-topic': 'repo:has.topic',
  })[kind] ?? `${kind}:`;

const isOfHistory = ({ role, subjects }: FilterDefinition): boolean =>
  role !== 'option' && subjects.includes('history');

function refusal(problem: string): SextantError {
  return new SextantError(
    'invalid_argument',
    `${problem}. Commits and diffs are found by words and ${filterList(isOfHistory)} count:.`,
  );
}
