import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { LeftOut, noRepositoryNotes } from '@sextant/contracts';
import type { FoundFile, GitStore, Repositories, RepositoryInfo, Search } from '@sextant/contracts';
import type { SearchRequest, SearchResult } from '@sextant/contracts';
import { hasRepositoryFilter, repositoryPatterns } from '@sextant/library-query';
import type { ParsedQuery, Query } from '@sextant/library-query';
import { Answer, repositoriesFound, shownLimits } from './answer.ts';
import { searchCommit } from './commit-search.ts';
import type { MatchThread, MatchThreads } from './match-threads.ts';
import { fileQuery, nameSource } from './query/file-query.ts';
import { namesQuery } from './query/names-query.ts';
import { parse, wordsOf } from './query/parse.ts';
import { allRepositoryPatterns, inRepository, withRevisions } from './query/scope.ts';
import { nearRevision, targetsIn } from './query/targets.ts';
import type { Target } from './query/targets.ts';
import { Blobs } from './repository/blobs.ts';
import { Trees } from './repository/tree.ts';

export interface GitGrepSearchParts {
  readonly repositories: Repositories;
  readonly store: GitStore;
  readonly threads: MatchThreads;
  readonly settings: { readonly maxFileBytes: number; readonly grepFromBytes: number; readonly seconds: number };
}

/** One search on its way. */
interface Searching {
  readonly request: SearchRequest;
  readonly parsed: ParsedQuery;
  readonly notes: string[];
  readonly leftOut: LeftOut;
  readonly thread: MatchThread;
  readonly signal: AbortSignal;
}

/** Search that reads the files of a commit at each call. What the caller may read is the first thing that is decided. */
export class GitGrepSearch implements Search {
  readonly #parts: GitGrepSearchParts;
  readonly #trees = new Trees();
  readonly #blobs = new Blobs();

  constructor(parts: GitGrepSearchParts) {
    this.#parts = parts;
  }

  async find(caller: Caller, request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    const { threads, settings, repositories } = this.#parts;
    const parsed = parse(request);
    const late = AbortSignal.timeout(settings.seconds * 1000);
    const either = AbortSignal.any([signal, late]);
    try {
      const visible = await repositories.list(caller);
      return await threads.use(caller.user.id, either, (thread) =>
        this.#find(visible, {
          request,
          parsed,
          notes: [...parsed.notes],
          leftOut: new LeftOut(either),
          thread,
          signal: either,
        }),
      );
    } catch (error) {
      if (signal.aborted || !late.aborted) throw error;
      throw new SextantError(
        'timeout',
        `the search took longer than ${settings.seconds} s; narrow it with repo: or file:, or simplify its expressions`,
      );
    }
  }

  async #find(visible: readonly RepositoryInfo[], searching: Searching): Promise<SearchResult> {
    const { request, parsed, notes, leftOut, thread, signal } = searching;
    const reduced = await perRepository(withRevisions(parsed.query), visible, thread);
    if (reduced.size === 0) notes.push(...(await whyNoRepository(parsed.query, visible, thread)));
    if (parsed.options.types.includes('repo')) return findRepositories(reduced, searching);
    const answer = new Answer(request, parsed.options);
    const wantsPathsOnly = parsed.options.types.includes('path');
    const context = {
      thread,
      search: { words: wordsOf(parsed.query), wantsPathsOnly, limits: shownLimits(request, parsed.options) },
      trees: this.#trees,
      blobs: this.#blobs,
      maxFileBytes: this.#parts.settings.maxFileBytes,
      grepFromBytes: this.#parts.settings.grepFromBytes,
      signal,
    };
    let searched = 0;
    for (const target of await this.#targets(reduced, searching))
      await leftOut.orWithout(target.repository.name, async () => {
        for await (const files of searchCommit(target, context)) answer.add(files);
        searched += 1;
      });
    const result = answer.result([...notes, ...leftOut.notes]);
    leftOut.throwUnlessFound({ results: result.files.length, searched });
    return { ...result, limitHit: result.limitHit || !leftOut.isEmpty };
  }

  async #targets(reduced: ReadonlyMap<string, Query>, { notes, leftOut, signal }: Searching): Promise<Target[]> {
    const unknown = new Set<string>();
    const targets: Target[] = [];
    for (const [name, query] of reduced)
      await leftOut.orWithout(name, async () => {
        const repository = this.#parts.store.find(name);
        if (!repository) throw this.#parts.store.whyAbsent(name);
        targets.push(...(await targetsIn(repository, query, { unknown, signal })));
      });
    const revisions = [...unknown].map((revision) => `"${revision}"`).join(', ');
    if (targets.length === 0 && unknown.size > 0) {
      const searched = [...reduced.keys()].flatMap((name) => this.#parts.store.find(name) ?? []);
      const hint = await nearRevision([...unknown], searched, signal);
      throw new SextantError(
        'not_found',
        `revision ${revisions} not found; list_refs shows the branches and tags.${hint}`,
      );
    }
    if (unknown.size > 0) notes.push(`Not every repository has the revision ${revisions}.`);
    return targets;
  }
}

/** What is left of the query for each repository that it can be true of. */
async function perRepository(
  query: Query,
  visible: readonly RepositoryInfo[],
  thread: MatchThread,
): Promise<Map<string, Query>> {
  const patterns = [...new Set(allRepositoryPatterns(query))];
  const answers = await namedBy(patterns, visible, thread);
  const reduced = visible.map((info, index) => {
    const isNamed = (pattern: string): boolean => answers[patterns.indexOf(pattern)]?.[index] ?? false;
    return [info.name, inRepository(query, info, isNamed)] as const;
  });
  return new Map(reduced.filter(([, { kind }]) => kind !== 'none'));
}

/** For each pattern, whether it matches the name of each repository. */
async function namedBy(
  patterns: readonly string[],
  visible: readonly RepositoryInfo[],
  thread: MatchThread,
): Promise<readonly (readonly boolean[])[]> {
  const names = visible.map(({ name }) => name);
  return patterns.length === 0 ? [] : thread.names(patterns.map(nameSource), names);
}

async function whyNoRepository(
  query: Query,
  visible: readonly RepositoryInfo[],
  thread: MatchThread,
): Promise<string[]> {
  const patterns = repositoryPatterns(query);
  const answers = await namedBy(patterns, visible, thread);
  const unmatched = patterns.find((_, at) => !answers[at]?.includes(true));
  return noRepositoryNotes({ unmatched, areGiven: hasRepositoryFilter(query) }, visible);
}

/** `type:repo`: repositories whose name has the texts. */
async function findRepositories(
  reduced: ReadonlyMap<string, Query>,
  { request, parsed, notes, thread }: Searching,
): Promise<SearchResult> {
  const files: FoundFile[] = [];
  for (const [name, query] of reduced) {
    const { verdicts } = await thread.paths(fileQuery(namesQuery(query)), [name]);
    if (verdicts[0]?.isFound) files.push({ repo: name, path: '', commit: '', chunks: [], matches: [], matchCount: 0 });
  }
  return repositoriesFound(files, { request, options: parsed.options, notes });
}
