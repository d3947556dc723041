import { pickNamed, pickWhere, queryOf, wantedChanges } from '@sextant/contracts';
import type {
  CommitRequest,
  ContributorRequest,
  ContributorResult,
  DiffRequest,
  FoundCommit,
  FoundDiff,
  FoundHistory,
  History,
  HistoryOrder,
  HistoryQuery,
  HistoryResult,
  NameClause,
  NamedRepositories,
  NamesMatching,
  ParsedQuery,
  Query,
  Repositories,
} from '@sextant/contracts';
import type { Caller } from '@sextant/core';
import { Patterns } from '@sextant/library-block-index';
import type { Nodes, Parts } from './nodes.ts';
import { lackingIn, notesOf } from './parts.ts';

/** History on the nodes that have the repositories. Each gives a page of its newest (or oldest) results; the pages are merged by date. */
export class NodeHistory implements History {
  readonly #repositories: Repositories;
  readonly #nodes: Nodes;
  readonly #patterns = new Patterns();
  readonly #matching: NamesMatching = (pattern, names) => {
    this.#patterns.check(pattern, { foldCase: true, argument: 'repos', written: pattern });
    return this.#patterns.matching(pattern, names);
  };

  constructor(repositories: Repositories, nodes: Nodes) {
    this.#repositories = repositories;
    this.#nodes = nodes;
  }

  async commits(caller: Caller, request: CommitRequest, signal: AbortSignal): Promise<HistoryResult<FoundCommit>> {
    signal.throwIfAborted();
    const picked = await this.#picked(caller, request, true);
    const asked = { ...request, isNamed: picked.areNamed };
    const parts = await this.#nodes.askEach('history.commits', {
      repositories: picked.names,
      argumentsOf: ({ repositories }) => ({ repositories, request: { ...asked, repositories } }),
      caller,
      signal,
    });
    return withNames(merged(parts, request), picked);
  }

  async diffs(caller: Caller, request: DiffRequest, signal: AbortSignal): Promise<HistoryResult<FoundDiff>> {
    signal.throwIfAborted();
    const picked = await this.#picked(caller, request, false);
    const asked = { ...request, isNamed: picked.areNamed };
    const parts = await this.#nodes.askEach('history.diffs', {
      repositories: picked.names,
      argumentsOf: ({ repositories }) => ({ repositories, request: { ...asked, repositories } }),
      caller,
      signal,
    });
    return withNames(merged(parts, request), picked);
  }

  async find(caller: Caller, query: HistoryQuery, signal: AbortSignal): Promise<FoundHistory> {
    signal.throwIfAborted();
    const visible = await this.#repositories.list(caller);
    const { names, areNamed } = pickWhere(nameClauses(query.query), visible, this.#matching);
    const parts = await this.#nodes.askEach('history.find', {
      repositories: names,
      argumentsOf: ({ repositories }) => ({ repositories, request: { ...query, isNamed: areNamed, notes: [] } }),
      caller,
      signal,
    });
    const wanted = { count: wantedChanges(query.limit, query.options.count), revisions: revisionsIn(query.query) };
    const { limit: _limit, ...asked } = query;
    const withNotes = <T>(result: HistoryResult<T>): HistoryResult<T> => ({
      ...result,
      query: asked,
      notes: [...query.notes, ...result.notes],
    });
    const isCommit = query.options.types.includes('commit');
    if (isCommit) {
      const answers = parts.answers.filter((answer) => answer.type === 'commit');
      return { type: 'commit', ...withNotes(merged({ ...parts, answers }, wanted)) };
    }
    const answers = parts.answers.filter((answer) => answer.type === 'diff');
    return { type: 'diff', ...withNotes(merged({ ...parts, answers }, wanted)) };
  }

  async contributors(caller: Caller, request: ContributorRequest, signal: AbortSignal): Promise<ContributorResult> {
    signal.throwIfAborted();
    const visible = await this.#repositories.list(caller);
    const names = visible.map(({ name }) => name);
    const parts = await this.#nodes.askEach('history.contributors', {
      repositories: names,
      argumentsOf: ({ repositories }) => ({ repositories, request }),
      caller,
      signal,
    });
    const { notes, missing } = lackingIn(parts);
    const all = parts.answers
      .flatMap(({ contributions }) => contributions)
      .toSorted((a, b) => b.commits - a.commits || (a.repo < b.repo ? -1 : 1));
    return {
      contributions: all.slice(0, request.limit),
      isLimited: all.length > request.limit || notes.length > 0 || parts.answers.some(({ isLimited }) => isLimited),
      notes: [...notesOf(parts.answers), ...notes],
      ...(missing.length > 0 && { missing }),
    };
  }

  async #picked(
    caller: Caller,
    { repositories }: CommitRequest | DiffRequest,
    areNames: boolean,
  ): Promise<NamedRepositories> {
    const visible = await this.#repositories.list(caller);
    return pickNamed(repositories, { visible, matching: this.#matching, areNames });
  }
}

interface Wanted {
  readonly count: number;
  readonly order?: HistoryOrder;
  readonly revisions: readonly string[];
}

function merged<T extends { readonly date: string }>(
  parts: Parts<HistoryResult<T>>,
  { count, order = 'newest', revisions }: Wanted,
): HistoryResult<T> {
  const lacking = lackingIn(parts);
  const { answers } = parts;
  const sign = order === 'oldest' ? 1 : -1;
  const results = answers
    .flatMap((answer) => answer.results)
    .toSorted((a, b) => sign * (Date.parse(a.date) - Date.parse(b.date)))
    .slice(0, count);
  const totalCount = answers.reduce((sum, answer) => sum + answer.totalCount, 0);
  const unknown = lacking.withoutRevision.flatMap((repo) =>
    revisions.map((revision) => `${repo} has no revision "${revision}".`),
  );
  return {
    query: answers[0]?.query ?? queryOf([]),
    results,
    totalCount,
    isLimited: answers.some(({ isLimited }) => isLimited) || totalCount > results.length || lacking.notes.length > 0,
    notes: [...lacking.notes, ...unknown, ...notesOf(answers)],
    ...(lacking.missing.length > 0 && { missing: lacking.missing }),
  };
}

/** Each node was told names; the caller is told of what they asked for. */
function withNames<T>(result: HistoryResult<T>, { notes, expressions }: NamedRepositories): HistoryResult<T> {
  const pattern =
    expressions.length === 1 ? expressions.join('') : expressions.map((regex) => `(?:${regex})`).join('|');
  const repo = { kind: 'repo', pattern } as const;
  const parts = partsOf(result.query.query).filter(({ kind }) => kind !== 'repo');
  const query: ParsedQuery = { ...result.query, query: queryOf([repo, ...parts]).query };
  return { ...result, query, notes: [...notes, ...result.notes] };
}

const partsOf = (query: Query): readonly Query[] => (query.kind === 'and' ? query.children : [query]);

/** What a query says of the names of repositories. The nodes refuse what is no query of history. */
function nameClauses(query: Query): NameClause[] {
  return partsOf(query).flatMap((part) => {
    const [positive, isNegated] = part.kind === 'not' ? [part.child, true] : [part, false];
    const leaves = positive.kind === 'or' ? positive.children : [positive];
    const patterns = leaves.flatMap((leaf) => (leaf.kind === 'repo' ? leaf.pattern : []));
    if (patterns.length !== leaves.length) return [];
    const regex = patterns.length === 1 ? patterns.join('') : patterns.map((each) => `(?:${each})`).join('|');
    return [{ regex, isNegated }];
  });
}

const revisionsIn = (query: Query): readonly string[] =>
  partsOf(query).flatMap((part) => (part.kind === 'rev' ? part.revisions : []));
