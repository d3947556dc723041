import { setImmediate, setTimeout } from 'node:timers/promises';
import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import {
  Heads,
  LeftOut,
  NamedRevisions,
  RevisionQueries,
  contentsIn,
  findRepositories,
  forRepositories,
  leavesOf,
  lfsPointer,
  mostFilesOfAnswer,
  noRepositoryNotes,
  targetsIn,
  wantedFiles,
} from '@sextant/contracts';
import type {
  FoundFile,
  GitStore,
  NamesMatching,
  Query,
  Repositories,
  Search,
  SearchRequest,
  SearchResult,
  Target,
} from '@sextant/contracts';
import type { Patterns } from '@sextant/library-block-index';
import { charactersIn, indexedText } from '@sextant/library-keyword-search';
import type { CommitFile, CommitFiles } from './commit-files.ts';
import type { SearchZoektConfig } from './config.ts';
import { FileQuery, isTrueWithoutText } from './file-query.ts';
import { Matcher, ratedPath } from './matcher.ts';
import type { MatchLimits, RatedFile } from './matcher.ts';
import type { IndexedCommit, ZoektIndex } from './zoekt-index.ts';
import { zoektQuery } from './zoekt-query.ts';

interface SearchParts {
  readonly repositories: Repositories;
  readonly store: GitStore;
  readonly index: ZoektIndex;
  readonly files: CommitFiles;
  readonly patterns: Patterns;
  readonly settings: SearchZoektConfig;
}

/** Bytes of texts that are matched in one step; others come between. */
const stepBytes = 4 << 20;
/** Lines of a file that are looked at, and chunks of one where the query has a `count:`. */
const linesPerFile = { least: 50, most: 2000 };
const chunksOfCounted = 20;
/** Most UTF-16 code units of the lines of an answer, unless the request says otherwise. */
const charactersUnlessLimited = 200_000;

interface OneSearch {
  readonly request: SearchRequest;
  readonly limits: MatchLimits;
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
  /** Undefined: all of them. */
  readonly paths: ReadonlySet<string> | undefined;
}

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
  readonly #heads = new Heads();
  readonly #matcher = new Matcher();

  constructor(parts: SearchParts) {
    this.#parts = parts;
  }

  async find(caller: Caller, request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    signal.throwIfAborted();
    requireKeywords(request);
    const { patterns, repositories } = this.#parts;
    for (const { leaf } of leavesOf(request.query))
      if ('pattern' in leaf) patterns.check(leaf.pattern, { foldCase: true });
    const visible = await repositories.list(caller);
    const matching: NamesMatching = (pattern, names) => patterns.matching(pattern, names);
    const reduced = forRepositories(request.query, visible, matching);
    const why = reduced.size === 0 ? noRepositoryNotes(request.query, visible, matching) : [];
    const notes = [...request.notes, ...why];
    if (request.options.types.includes('repo')) return findRepositories(reduced, { request, notes });
    const search = { request, limits: limitsOf(request), leftOut: new LeftOut(signal), signal };
    const { targets, revisions } = await this.#targets(reduced, search);
    const opened = (await Promise.all(targets.map((target) => this.#open(target, search)))).filter(
      (open) => open !== undefined,
    );
    const missing = new Set<string>();
    const { found, searched, isCut } = await this.#search(opened, search, missing);
    search.leftOut.throwUnlessFound({ results: found.length, searched });
    const behind = opened.filter(({ target, commit }) => commit !== target.commit).map(noteBehind);
    const left = search.leftOut.notes;
    return {
      ...answerOf(found, { request, isCut: isCut || !search.leftOut.isEmpty }),
      ...(missing.size > 0 && { missing: [...missing].sort() }),
      ...(left.length > 0 && { notSearched: { files: 0, reasons: left } }),
      notes: [...notes, ...revisions, ...behind, ...left],
    };
  }

  async #targets(
    reduced: ReadonlyMap<string, Query>,
    { leftOut, signal }: OneSearch,
  ): Promise<{ targets: Target[]; revisions: string[] }> {
    const { store } = this.#parts;
    const revisions = new NamedRevisions();
    const resolving = { queries: new RevisionQueries(), revisions, heads: this.#heads, signal };
    const targetsOf = async ([name, query]: readonly [string, Query]): Promise<readonly Target[]> => {
      const repository = await store.find(name);
      if (repository) return (await leftOut.orWithout(name, () => targetsIn(repository, query, resolving))) ?? [];
      leftOut.add(name, await store.whyAbsent(name));
      return [];
    };
    const targets = (await Promise.all([...reduced].map(targetsOf))).flat();
    if (targets.length === 0) await revisions.requireAny(signal);
    return { targets, revisions: await revisions.notes(signal) };
  }

  /** Waits for a repository that is new. A default branch that has moved is searched as zoekt has it. */
  async #open(target: Target, { leftOut, signal }: OneSearch): Promise<OpenTarget | undefined> {
    const { index, settings } = this.#parts;
    const { name } = target.repository;
    if (target.revision === undefined && !index.commitOf(name)) {
      const wait = new AbortController();
      const late = setTimeout(settings.waitSeconds * 1000, undefined, {
        signal: AbortSignal.any([signal, wait.signal]),
        ref: false,
      }).catch(() => undefined);
      await Promise.race([index.settled(name), late]);
      wait.abort();
      signal.throwIfAborted();
      if (!index.commitOf(name) && !index.failureOf(name)) {
        leftOut.add(name, stillIndexed(name));
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
    const isWhole =
      request.options.types.includes('path') || request.options.select === 'repo' || wanted > settings.candidates;
    const all = { search, missing, most: Infinity };
    if (isWhole) return { ...(await this.#matchAll(await this.#propose(opened, all), search)), isCut: false };
    const best = await this.#propose(opened, { ...all, most: settings.candidates });
    const matched = await this.#matchAll(best, search);
    // Where the matcher refuses most of what zoekt proposes, the best are not among them.
    if (!best.isCut || matched.found.length >= wanted) return { ...matched, isCut: best.isCut };
    return { ...(await this.#matchAll(await this.#propose(opened, all), search)), isCut: false };
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
      else proposed.push({ open, paths: undefined });
    const groups = Map.groupBy(
      asked,
      ({ target, indexed }) => `${index.serverOf(indexed.id)} ${JSON.stringify(target.query)}`,
    );
    const askGroup = async (group: typeof asked): Promise<void> => {
      const [first] = group;
      if (!first) return;
      const server = index.serverOf(first.indexed.id);
      const ids = group.map(({ indexed }) => indexed.id).sort((a, b) => a - b);
      const paths = new Map(group.map(({ indexed }) => [indexed.id, new Set(indexed.others)]));
      const other = new Set<number>();
      try {
        const options = { files: most, seconds: settings.seconds, signal };
        const answer = await index.client(server).search(zoektQuery(first.target.query, ids), options);
        isCut ||= answer.isCut;
        const commits = new Map(group.map(({ indexed, commit }) => [indexed.id, commit]));
        for (const { id, path, commit } of answer.files)
          if (commits.get(id) === commit) paths.get(id)?.add(path);
          else other.add(id);
      } catch (error) {
        if (!(error instanceof SextantError) || error.code !== 'unavailable') throw error;
        missing.add(`zoekt ${server}`);
        for (const { target } of group) leftOut.add(target.repository.name, error);
        return;
      }
      // zoekt has a newer commit by now: this one is read as any other that it does not have.
      for (const open of group)
        proposed.push({ open, paths: other.has(open.indexed.id) ? undefined : paths.get(open.indexed.id) });
    };
    await Promise.all([...groups.values()].map(askGroup));
    return { proposed, isCut };
  }

  async #matchAll({ proposed }: { proposed: readonly Proposed[] }, search: OneSearch): Promise<Matched> {
    const found: FoundInTarget[] = [];
    let searched = 0;
    const queries = new Map<Query, FileQuery>();
    try {
      for (const each of proposed) {
        const { target } = each.open;
        const query = queries.get(target.query) ?? new FileQuery(target.query, this.#parts.patterns);
        queries.set(target.query, query);
        await search.leftOut.orWithout(target.repository.name, async () => {
          for await (const file of this.#matchTarget(each, query, search)) found.push({ open: each.open, file });
          searched += 1;
        });
      }
    } finally {
      for (const query of queries.values()) query.release();
    }
    return { found, searched };
  }

  async *#matchTarget({ open, paths }: Proposed, query: FileQuery, search: OneSearch): AsyncGenerator<RatedFile> {
    const { signal, request, limits } = search;
    const { repository } = open.target;
    const all = await this.#parts.files.of(repository, open.commit, signal);
    const wantsPathsOnly = request.options.types.includes('path');
    const known = new Map<string, boolean>();
    const hasPath = (pattern: string): boolean => {
      const has = known.get(pattern) ?? query.matchesAny(pattern, all);
      known.set(pattern, has);
      return has;
    };
    const texts: { file: CommitFile & { blob: string }; rest: Query }[] = [];
    for (const file of all) {
      if (paths && !paths.has(file.path)) continue;
      const rest = query.reduced(file.path, { hasPath, wantsPathsOnly });
      if (rest.kind === 'none') continue;
      const { blob } = file;
      if (wantsPathsOnly) yield ratedPath(query, file.path, true);
      else if (blob !== undefined) texts.push({ file: { ...file, blob }, rest });
      else if (isTrueWithoutText(rest)) yield ratedPath(query, file.path, false);
    }
    if (!paths) this.#requireFew(open, texts);
    for (const step of stepsOf(texts)) {
      const read = await this.#readTexts(
        open,
        step.map(({ file }) => file.blob),
        search,
      );
      const files = step.flatMap(({ file: { path, blob }, rest }) => {
        const text = read.get(blob);
        return text ? [{ path, rest, text }] : [];
      });
      for (const { file, rest } of step)
        if (!read.get(file.blob) && isTrueWithoutText(rest)) yield ratedPath(query, file.path, false);
      yield* this.#matcher.match(query, files, limits);
      await setImmediate();
      signal.throwIfAborted();
    }
  }

  #requireFew({ target }: OpenTarget, texts: readonly { readonly file: CommitFile }[]): void {
    const bytes = texts.reduce((sum, { file }) => sum + file.bytes, 0);
    if (bytes <= this.#parts.settings.unindexedBytes) return;
    throw new SextantError(
      'too_large',
      `this commit of ${target.repository.name} is not indexed, and has more text than one search reads; narrow it down with file: or lang:`,
    );
  }

  /** Texts by blob; undefined for a binary one and a Git LFS pointer. */
  async #readTexts(
    { target: { repository } }: OpenTarget,
    blobs: readonly string[],
    { signal }: OneSearch,
  ): Promise<Map<string, Buffer | undefined>> {
    const texts = new Map<string, Buffer | undefined>();
    const { maxFileBytes: maxBytes } = this.#parts.settings;
    for await (const batch of repository.blobs([...new Set(blobs)], { maxBytes, areChecked: true, signal }))
      for (const { id, content } of contentsIn(batch)) {
        if (!content) throw new SextantError('unavailable', 'content is missing or damaged');
        texts.set(id, lfsPointer(content) ? undefined : indexedText(content));
      }
    return texts;
  }
}

function* stepsOf<File extends { readonly file: CommitFile }>(files: readonly File[]): Generator<File[]> {
  let [step, bytes]: [File[], number] = [[], 0];
  for (const file of files) {
    if (step.length > 0 && bytes + file.file.bytes > stepBytes) {
      yield step;
      [step, bytes] = [[], 0];
    }
    step.push(file);
    bytes += file.file.bytes;
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

function limitsOf({ limits, options: { count, select } }: SearchRequest): MatchLimits {
  const counted = count === undefined ? 0 : count === 'all' ? linesPerFile.most : chunksOfCounted;
  const chunksPerFile = Math.max(limits.chunksPerFile, counted);
  return {
    chunksPerFile: select === undefined ? chunksPerFile : 0,
    chunkCharacters: limits.chunkCharacters,
    lineCharacters: limits.lineCharacters,
    linesPerFile: Math.min(Math.max(linesPerFile.least, chunksPerFile), linesPerFile.most),
  };
}

interface AnswerContext {
  readonly request: SearchRequest;
  /** Whether there are files that were not matched. */
  readonly isCut: boolean;
}

const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** The best files that fit, best first; of equal ones the first repository and path. */
function answerOf(all: FoundInTarget[], { request, isCut }: AnswerContext): Omit<SearchResult, 'notes'> {
  const { options, limits } = request;
  const nameOf = ({ open: { target } }: FoundInTarget): string => `${target.repository.name}\0${target.revision ?? ''}`;
  all.sort((a, b) => b.file.score - a.file.score || order(nameOf(a), nameOf(b)) || order(a.file.path, b.file.path));
  const wanted = wantedFiles(limits.files, options.count);
  if (options.select === 'repo') {
    const names = [...Map.groupBy(all, nameOf).values()].flatMap(([best]) => best ?? []);
    const files = names
      .slice(0, Math.min(wanted, mostFilesOfAnswer))
      .map((found): FoundFile => ({ ...fileOf(found), path: '', chunks: [], matches: [], matchCount: 0 }));
    const { length: count } = names;
    return { type: 'repo', files, matchCount: count, fileCount: count, limitHit: isCut || files.length < count };
  }
  let left = limits.characters ?? charactersUnlessLimited;
  const shown: FoundFile[] = [];
  for (const found of all.slice(0, wanted)) {
    left -= charactersIn(found.file);
    if (left <= 0 && shown.length > 0) break;
    shown.push(fileOf(found));
  }
  const matchCount = all.reduce((sum, { file }) => sum + Math.max(1, file.matchCount), 0);
  const type = options.types.includes('path') || options.select === 'file' ? 'path' : 'file';
  return { type, files: shown, matchCount, fileCount: all.length, limitHit: isCut || shown.length < all.length };
}

function fileOf({ open: { target, commit }, file }: FoundInTarget): FoundFile {
  const { path, matchCount } = file;
  const chunks = file.chunks.map(({ text, ...place }) => ({ ...place, lines: text.split('\n') }));
  const matches = file.matches.map(({ chunk, line, ranges }) => {
    const { startLine = 0, lines = [] } = chunks[chunk] ?? {};
    return { line, text: lines[line - startLine] ?? '', ranges };
  });
  const revision = target.revision === undefined ? {} : { revision: target.revision };
  return { repo: target.repository.name, path, commit, ...revision, chunks, matches, matchCount };
}

const noteBehind = ({ target: { repository } }: OpenTarget): string =>
  `The last change of ${repository.name} is still being indexed: searched as before it.`;

const stillIndexed = (name: string): SextantError =>
  new SextantError('unavailable', `repository "${name}" is still being indexed; search it again in a moment`, {
    retryAfterSeconds: 10,
  });
