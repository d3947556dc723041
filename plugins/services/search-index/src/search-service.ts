import { SextantError, isSextantError, joinSignals, timeoutSignal, unlessAborted } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { SearchScopes } from '@sextant/contracts';
import type {
  FoundFile,
  GitStore,
  LeftOut,
  ParsedQuery,
  Repositories,
  Search,
  SearchRequest,
  SearchResult,
  Target,
} from '@sextant/contracts';
import type { Engine } from './engine.ts';
import { DamagedIndexError } from './shards/loaded-shard.ts';
import { expressionNote, unsearchedText } from './explain/notes.ts';
import { OpenedSnapshots } from './revisions/opened-snapshots.ts';
import { JobPlan } from './match/plan.ts';
import type { Patterns } from '@sextant/library-block-index';
import { limitsOf, mergeFiles } from './show/results.ts';
import { hasReason, isScattered, whereMessage, whyNothing } from './explain/why-nothing.ts';

export interface SearchServiceParts {
  readonly repositories: Repositories;
  readonly store: GitStore;
  readonly engine: Engine;
  readonly patterns: Patterns;
  /** Longest time that a search waits for what is not indexed yet. */
  readonly waitSeconds: number;
}

/** Longest time, in milliseconds, for finding out why nothing was found. */
const reasonMs = 500;

/**
 * Search from the index. The query is reduced to each repository that the caller may read, then to each of its commits.
 * What is left runs on workers. If nothing is found, parts of the query are searched to explain why.
 */
export class SearchService implements Search {
  readonly #parts: SearchServiceParts;
  readonly #scopes: SearchScopes;

  constructor(parts: SearchServiceParts) {
    this.#parts = parts;
    this.#scopes = new SearchScopes(parts);
  }

  async find(caller: Caller, request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    requireFiles(request);
    const found = await this.#find({ caller, request, signal });
    if (request.isPart || request.mode === 'natural' || found.notes.length > 0 || !hasReason(request)) return found;
    const isFound = found.files.length > 0;
    if (isFound && !isScattered(request, found.files)) return found;
    const reason = await this.#explain(isFound ? whereMessage : whyNothing, { caller, request, signal });
    return reason === undefined ? found : { ...found, notes: [reason] };
  }

  async #explain(reasons: typeof whyNothing, { caller, request, signal }: SearchCall): Promise<string | undefined> {
    // Made when it is needed: an expired timer creates an exception with its stack, and most explanations need no search.
    let hurried: AbortSignal | undefined;
    const find = async (query: ParsedQuery, files: number): Promise<readonly FoundFile[]> => {
      hurried ??= joinSignals(signal, timeoutSignal(reasonMs));
      const limits = { ...request.limits, files, chunksPerFile: 1 };
      return (await this.#find({ caller, request: { ...request, ...query, limits }, signal: hurried })).files;
    };
    let reason: string | undefined;
    try {
      const { length: repositories } = await this.#parts.repositories.list(caller);
      for await (const better of reasons(request, { find, repositories })) reason = better;
    } catch (error) {
      if (signal.aborted || !(hurried?.aborted || isSextantError(error))) throw error;
    }
    return reason;
  }

  async #find({ caller, request, signal }: SearchCall): Promise<SearchResult> {
    const scope = await this.#scopes.open(caller, request, signal);
    if ('files' in scope) return scope;
    return this.#searchSoundly(scope.targets, { caller, request, signal, ...scope });
  }

  /** Rebuilds files of the index that turn out to be damaged, each once, and searches again. */
  async #searchSoundly(targets: readonly Target[], call: TargetsCall): Promise<SearchResult> {
    const repaired = new Set<string>();
    for (;;) {
      try {
        return await this.#searchTargets(targets, call);
      } catch (error) {
        if (!(error instanceof DamagedIndexError) || repaired.has(error.shard)) throw error;
        repaired.add(error.shard);
        await unlessAborted(this.#parts.engine.indexer.repair(error.shard), call.signal);
      }
    }
  }

  async #searchTargets(targets: readonly Target[], call: TargetsCall): Promise<SearchResult> {
    const { request, leftOut, signal } = call;
    const { waitSeconds, engine } = this.#parts;
    // Read once, as the engine replaces both together when it restarts.
    const { indexer, scheduler } = engine;
    const plan = new JobPlan(targets, call);
    const snapshots = await OpenedSnapshots.open(indexer, targets, { leftOut, waitSeconds, signal });
    const notes = [...call.notes, ...snapshots.notes];
    const limits = limitsOf(request);
    const results = await snapshots.holdWhile(async (list) =>
      list.length === 0 ? [] : scheduler.run(plan.jobOf(list, limits), signal),
    );
    const merged = mergeFiles(results, { request, searched: snapshots.searched, limits, notes });
    const found = { ...merged, ...plan.wordsIn(results) };
    leftOut.throwUnlessFound({ results: found.files.length, searched: snapshots.list.length });
    const isFound = found.files.length > 0;
    const searchesText = !request.options.types.includes('path');
    const unread = searchesText ? snapshots.unread : { files: 0, notes: [] };
    const unsearched = searchesText
      ? unsearchedText(snapshots.list, { patterns: this.#parts.patterns, isFound })
      : undefined;
    const expression = isFound || request.mode === 'natural' ? undefined : expressionNote(request.query);
    const hints = [expression, unsearched?.isAsked ? unsearched.sentence : undefined];
    const left = [...leftOut.notes, ...unread.notes];
    const reasons = [...left, ...(unsearched ? [unsearched.sentence] : [])];
    return {
      ...found,
      limitHit: found.limitHit || !leftOut.isEmpty,
      ...(reasons.length > 0 && { notSearched: { files: unread.files + (unsearched?.files ?? 0), reasons } }),
      notes: [...notes, ...left, ...hints.filter((hint) => hint !== undefined)],
    };
  }
}

/** A search and its caller. */
interface SearchCall {
  readonly caller: Caller;
  readonly request: SearchRequest;
  readonly signal: AbortSignal;
}

/** The same once its targets are known, with the notes so far. */
interface TargetsCall extends SearchCall {
  readonly notes: readonly string[];
  readonly leftOut: LeftOut;
}

function requireFiles({ options: { types } }: ParsedQuery): void {
  const other = types.find((type) => !['file', 'path', 'repo'].includes(type));
  if (other !== undefined)
    throw new SextantError(
      'invalid_argument',
      `type:${other} needs a service that is not loaded here; use type:file, type:path or type:repo`,
    );
}
