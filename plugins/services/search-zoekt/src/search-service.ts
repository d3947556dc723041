import { setTimeout } from 'node:timers/promises';
import { SextantError, joinSignals } from '@sextant/core';
import type { Caller } from '@sextant/core';
import {
  SearchScopes,
  answerLimits,
  contentsIn,
  filesThatFit,
  lfsPointer,
  onlyRepositories,
  positiveTerms,
  typeOfAnswer,
  wantedFiles,
} from '@sextant/contracts';
import type {
  AnswerLimits,
  FoundFile,
  GitStore,
  LeftOut,
  Query,
  QueryOfFiles,
  Repositories,
  Search,
  SearchRequest,
  SearchResult,
  Target,
} from '@sextant/contracts';
import type { Patterns } from '@sextant/library-block-index';
import { asLines, indexedText } from '@sextant/library-keyword-search';
import { mapConcurrently } from '@sextant/library-workers';
import type { CommitFile, CommitFiles } from './commit-files.ts';
import type { SearchZoektConfig } from './config.ts';
import { FileQuery, isTrueWithoutText } from './file-query.ts';
import { matchThreads } from './matcher.ts';
import type { Matcher } from './matcher.ts';
import { ratedPath } from './text-matcher.ts';
import type { RatedFile } from './text-matcher.ts';
import type { IndexedCommit, ZoektIndex } from './zoekt-index.ts';
import { zoektQuery } from './zoekt-query.ts';

interface SearchParts {
  readonly repositories: Repositories;
  readonly store: GitStore;
  readonly index: ZoektIndex;
  readonly files: CommitFiles;
  readonly patterns: Patterns;
  readonly matcher: Matcher;
  readonly settings: SearchZoektConfig;
}

/** Bytes of texts that are matched in one step. */
const stepBytes = 1 << 20;

interface OneSearch {
  readonly caller: Caller;
  readonly request: SearchRequest;
  readonly limits: AnswerLimits;
  readonly leftOut: LeftOut;
  readonly signal: AbortSignal;
}

/** A target with the commit that is searched, and what zoekt has of it. */
interface OpenTarget {
  readonly target: Target;
  readonly commit: string;
  readonly indexed: IndexedCommit | undefined;
}

/** The files of a target that may match. */
interface Proposed {
  readonly open: OpenTarget;
  /** By path, with the text where it is known. Undefined: all of them. */
  readonly texts: KnownTexts | undefined;
  /** Paths that were matched before. */
  readonly done?: ReadonlySet<string> | undefined;
}

type KnownTexts = ReadonlyMap<string, Uint8Array | undefined>;

interface FoundInTarget {
  readonly open: OpenTarget;
  readonly file: RatedFile;
}

interface Matched {
  readonly found: FoundInTarget[];
  /** Targets that were read. */
  readonly searched: number;
}

/** Search over zoekt. zoekt proposes files; the matcher decides, rates and shows them from the texts of the store. */
export class ZoektSearch implements Search {
  readonly #parts: SearchParts;
  readonly #scopes: SearchScopes;

  constructor(parts: SearchParts) {
    this.#parts = parts;
    this.#scopes = new SearchScopes(parts);
  }

  async find(caller: Caller, request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    signal.throwIfAborted();
    requireKeywords(request);
    const scope = await this.#scopes.open(caller, request, signal);
    if ('files' in scope) return scope;
    const { targets, notes, leftOut } = scope;
    const search = { caller, request, limits: answerLimits(request), leftOut, signal };
    const missing = new Set<string>();
    const opened = (await Promise.all(targets.map((target) => this.#open(target, search, missing)))).filter(
      (open) => open !== undefined,
    );
    const { found, searched, isCut } = await this.#search(opened, search, missing);
    leftOut.throwUnlessFound({ results: found.length, searched });
    const behind = opened.filter(({ target, commit }) => commit !== target.commit).map(noteBehind);
    const left = leftOut.notes;
    return {
      ...answerOf(found, { request, isCut: isCut || !leftOut.isEmpty }),
      ...(missing.size > 0 && { missing: [...missing].sort() }),
      ...(left.length > 0 && { notSearched: { files: 0, reasons: left } }),
      notes: [...notes, ...behind, ...left],
    };
  }

  /** Waits for a repository that is new. A default branch that has moved is searched as zoekt has it. */
  async #open(target: Target, { leftOut, signal }: OneSearch, missing: Set<string>): Promise<OpenTarget | undefined> {
    const { index, settings } = this.#parts;
    const { name } = target.repository;
    if (target.revision === undefined && !index.commitOf(name)) {
      const wait = new AbortController();
      const late = setTimeout(settings.waitSeconds * 1000, undefined, {
        signal: joinSignals(signal, wait.signal),
        ref: false,
      }).catch(() => undefined);
      await Promise.race([index.settled(name), late]);
      wait.abort();
      signal.throwIfAborted();
      if (!index.commitOf(name) && !index.failureOf(name)) {
        leftOut.add(name, stillIndexed(name));
        const server = index.silentServerOf(name);
        if (server !== undefined) missing.add(`zoekt ${server}`);
        return undefined;
      }
    }
    const indexed = index.commitOf(name);
    if (target.revision === undefined && indexed && indexed.commit !== target.commit) {
      index.refresh(name);
      return indexed.commit === ''
        ? { target, commit: target.commit, indexed: undefined }
        : { target, commit: indexed.commit, indexed };
    }
    return { target, commit: target.commit, indexed: indexed?.commit === target.commit ? indexed : undefined };
  }

  async #search(
    opened: readonly OpenTarget[],
    search: OneSearch,
    missing: Set<string>,
  ): Promise<Matched & { readonly isCut: boolean }> {
    const { settings } = this.#parts;
    const { request } = search;
    const wanted = wantedFiles(request.limits.files, request.options.count);
    const most = candidatesOf(request.query, settings.candidates);
    const isWhole = request.options.types.includes('path') || request.options.select === 'repo' || wanted > most;
    const all = { search, missing, most: Infinity };
    const best = await this.#propose(opened, isWhole ? all : { ...all, most });
    const matched = await this.#matchAll(best.proposed, search);
    // Where the matcher refuses most of what zoekt proposes, the best are not among them.
    if (isWhole || !best.isCut || matched.found.length >= wanted) return { ...matched, isCut: best.isCut };
    const before = new Map(best.proposed.map(({ open, texts }) => [open.target, texts]));
    const { proposed, isCut } = await this.#propose(opened, all);
    const others = proposed.flatMap(({ open, texts }) => {
      const done = before.get(open.target);
      return before.has(open.target) && !done ? [] : { open, texts, done: done && new Set(done.keys()) };
    });
    const rest = await this.#matchAll(others, search);
    const searched = Math.max(matched.searched, rest.searched);
    return { found: [...matched.found, ...rest.found], searched, isCut };
  }

  /** Asks each server once for each query. */
  async #propose(
    opened: readonly OpenTarget[],
    { search, missing, most }: { search: OneSearch; missing: Set<string>; most: number },
  ): Promise<{ proposed: Proposed[]; isCut: boolean }> {
    const { index, settings } = this.#parts;
    const { request, leftOut, signal } = search;
    const proposed: Proposed[] = [];
    let isCut = false;
    const asked: (OpenTarget & { readonly indexed: IndexedCommit })[] = [];
    for (const open of opened)
      if (open.indexed && !request.options.types.includes('path')) asked.push({ ...open, indexed: open.indexed });
      else proposed.push({ open, texts: undefined });
    const groups = Map.groupBy(
      asked,
      ({ target, indexed }) => `${index.serverOf(indexed.id)} ${JSON.stringify(target.query)}`,
    );
    const askGroup = async (group: typeof asked): Promise<void> => {
      const [first] = group;
      if (!first) return;
      const server = index.serverOf(first.indexed.id);
      const ids = group.map(({ indexed }) => indexed.id).sort((a, b) => a - b);
      const texts = new Map(
        group.map(({ indexed }) => {
          const known = indexed.others.map((path): [string, Uint8Array | undefined] => [path, undefined]);
          return [indexed.id, new Map(known)];
        }),
      );
      const other = new Set<number>();
      try {
        const options = { files: most, seconds: settings.seconds, signal };
        const answer = await index.client(server).search(zoektQuery(first.target.query, ids), options);
        isCut ||= answer.isCut;
        const commits = new Map(group.map(({ indexed, commit }) => [indexed.id, commit]));
        for (const { id, path, commit, text } of answer.files)
          if (commits.get(id) === commit) texts.get(id)?.set(path, text);
          else other.add(id);
      } catch (error) {
        if (!(error instanceof SextantError) || error.code !== 'unavailable') throw error;
        missing.add(`zoekt ${server}`);
        for (const { target } of group) leftOut.add(target.repository.name, error);
        return;
      }
      // zoekt has a newer commit by now: this one is read as any other that it does not have.
      for (const open of group)
        proposed.push({ open, texts: other.has(open.indexed.id) ? undefined : texts.get(open.indexed.id) });
    };
    await Promise.all([...groups.values()].map(askGroup));
    return { proposed, isCut };
  }

  async #matchAll(proposed: readonly Proposed[], search: OneSearch): Promise<Matched> {
    const found: FoundInTarget[] = [];
    let searched = 0;
    const queries = new Map<QueryOfFiles, FileQuery>();
    const queryOf = (query: QueryOfFiles): FileQuery => {
      const known = queries.get(query) ?? new FileQuery(query, this.#parts.patterns);
      queries.set(query, known);
      return known;
    };
    try {
      await mapConcurrently(proposed, matchThreads, async (each) => {
        const { target } = each.open;
        await search.leftOut.orWithout(target.repository.name, async () => {
          const files = await this.#matchTarget(each, queryOf(target.query), search);
          for (const file of files) found.push({ open: each.open, file });
          searched += 1;
        });
      });
    } finally {
      for (const query of queries.values()) query.release();
    }
    return { found, searched };
  }

  async #matchTarget(proposed: Proposed, query: FileQuery, search: OneSearch): Promise<RatedFile[]> {
    const { open, texts: known, done } = proposed;
    const { signal, request, limits } = search;
    const { repository } = open.target;
    const all = await this.#parts.files.of(repository, open.commit, signal);
    const wantsPathsOnly = request.options.types.includes('path');
    const decided = new Map<string, boolean>();
    const hasPath = (pattern: string): boolean => {
      const has = decided.get(pattern) ?? query.matchesAny(pattern, all);
      decided.set(pattern, has);
      return has;
    };
    const found: RatedFile[] = [];
    const texts: FileWithText[] = [];
    for (const file of all) {
      if ((known && !known.has(file.path)) || done?.has(file.path)) continue;
      const rest = query.reduced(file.path, { hasPath, wantsPathsOnly });
      if (rest.kind === 'none') continue;
      const { blob } = file;
      if (wantsPathsOnly) found.push(ratedPath(query, file.path, true));
      else if (blob !== undefined) texts.push({ ...file, blob, rest });
      else if (isTrueWithoutText(rest)) found.push(ratedPath(query, file.path, false));
    }
    if (!known) this.#requireFew(open, texts);
    await mapConcurrently(stepsOf(texts), matchThreads, async (step) => {
      const read = await this.#textsOf(step, proposed, search);
      const withText = step.flatMap((file) => {
        const text = read.get(file);
        if (!text && isTrueWithoutText(file.rest)) found.push(ratedPath(query, file.path, false));
        return text ? [{ path: file.path, rest: file.rest, text }] : [];
      });
      const files = withText.map(({ path, rest, text }) => ({ path, rest, bytes: text.length }));
      const joined = joinedTexts(withText.map(({ text }) => text));
      found.push(...(await this.#parts.matcher.match({ query: query.query, files, texts: joined, limits }, search)));
    });
    return found;
  }

  #requireFew({ target }: OpenTarget, texts: readonly CommitFile[]): void {
    const bytes = texts.reduce((sum, file) => sum + file.bytes, 0);
    if (bytes <= this.#parts.settings.unindexedBytes) return;
    throw new SextantError(
      'too_large',
      `this commit of ${target.repository.name} is not indexed, and has more text than one search reads; narrow it down with file: or lang:`,
    );
  }

  /** Texts of files; undefined for a binary one and a Git LFS pointer. Those that zoekt sent whole are not read again. */
  async #textsOf(
    files: readonly FileWithText[],
    { open, texts: known }: Proposed,
    { signal }: OneSearch,
  ): Promise<Map<FileWithText, Uint8Array | undefined>> {
    const texts = new Map<FileWithText, Uint8Array | undefined>();
    const unread = files.filter((file) => {
      const text = known?.get(file.path);
      const isWhole = text?.length === file.bytes;
      if (isWhole) texts.set(file, text);
      return !isWhole;
    });
    const byBlob = Map.groupBy(unread, ({ blob }) => blob);
    if (byBlob.size === 0) return texts;
    const reading = { maxBytes: this.#parts.settings.maxFileBytes, areChecked: true, signal };
    for await (const batch of open.target.repository.blobs([...byBlob.keys()], reading))
      for (const { id, content } of contentsIn(batch)) {
        if (!content) throw new SextantError('unavailable', 'content is missing or damaged');
        const text = lfsPointer(content) ? undefined : indexedText(content);
        for (const file of byBlob.get(id) ?? []) texts.set(file, text);
      }
    return texts;
  }
}

/** A file with what its path has left of the query. */
interface FileWithText extends CommitFile {
  readonly blob: string;
  readonly rest: Query;
}

function joinedTexts(texts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(texts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const text of texts) {
    joined.set(text, at);
    at += text.length;
  }
  return joined;
}

function* stepsOf(files: readonly FileWithText[]): Generator<FileWithText[]> {
  let [step, bytes]: [FileWithText[], number] = [[], 0];
  for (const file of files) {
    if (step.length > 0 && bytes + file.bytes > stepBytes) {
      yield step;
      [step, bytes] = [[], 0];
    }
    step.push(file);
    bytes += file.bytes;
  }
  if (step.length > 0) yield step;
}

function requireKeywords({ mode, options: { types } }: SearchRequest): void {
  if (mode === 'natural')
    throw new SextantError(
      'invalid_argument',
      'questions are not answered by the search engine of this server (zoekt); use keyword_search with a few words of the code that you look for',
    );
  const other = types.find((type) => !['file', 'path', 'repo'].includes(type));
  if (other !== undefined)
    throw new SextantError(
      'invalid_argument',
      `type:${other} needs a service that is not loaded here; use type:file, type:path or type:repo`,
    );
}

/** zoekt's order tells files apart less well where a query has several words: twice as many are looked at. */
const candidatesOf = (query: Query, candidates: number): number =>
  positiveTerms(query).length > 1 ? candidates * 2 : candidates;

interface AnswerContext {
  readonly request: SearchRequest;
  /** Whether there are files that were not matched. */
  readonly isCut: boolean;
}

const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** The best files that fit, best first; of equal ones the first repository and path. */
function answerOf(all: FoundInTarget[], { request, isCut }: AnswerContext): Omit<SearchResult, 'notes'> {
  const nameOf = ({ open: { target } }: FoundInTarget): string => `${target.repository.name}\0${target.revision ?? ''}`;
  all.sort((a, b) => b.file.score - a.file.score || order(nameOf(a), nameOf(b)) || order(a.file.path, b.file.path));
  if (request.options.select === 'repo') return onlyRepositories(all.map(fileOf), request, isCut);
  const limits = answerLimits(request);
  const counts = {
    fileCount: all.length,
    matchCount: all.reduce((sum, { file }) => sum + Math.max(1, file.matchCount), 0),
  };
  const files = filesThatFit(all.slice(0, limits.files).map(fileOf), counts, limits);
  return { type: typeOfAnswer(request.options), files, ...counts, limitHit: isCut || files.length < all.length };
}

function fileOf({ open: { target, commit }, file }: FoundInTarget): FoundFile {
  const { path, matchCount } = file;
  const revision = target.revision === undefined ? {} : { revision: target.revision };
  return { repo: target.repository.name, path, commit, ...revision, ...asLines(file), matchCount };
}

const noteBehind = ({ target: { repository } }: OpenTarget): string =>
  `The last change of ${repository.name} is still being indexed: searched as before it.`;

const stillIndexed = (name: string): SextantError =>
  new SextantError('unavailable', `repository "${name}" is still being indexed; search it again in a moment`, {
    retryAfterSeconds: 10,
  });
