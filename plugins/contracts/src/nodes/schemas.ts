import { z } from 'zod';
import type {
  BlameRequest,
  BlamedLine,
  ComparedRevisions,
  CommitDetails,
  Comparison,
  ComparisonPage,
  FoundEntry,
  LineTrace,
  RefFilter,
  RefList,
  RepositoryInfo,
  TraceRequest,
  TreeFolder,
  TreeListing,
} from '../code/repositories.ts';
import type {
  CommitRequest,
  ContributorRequest,
  ContributorResult,
  DiffRequest,
  FoundCommit,
  FoundDiff,
  FoundHistory,
  HistoryQuery,
  HistoryResult,
} from '../code/history.ts';
import type { IndexState } from '../code/index-states.ts';
import type { SearchRequest, SearchResult } from '../code/search/search.ts';
import type {
  FoundSymbols,
  Outline,
  OutlineRequest,
  ReferenceAnswer,
  SoughtElsewhere,
  SymbolAnswer,
  SymbolQuery,
  SymbolRequest,
} from '../code/symbols/symbols.ts';
import type { ParsedQuery, Query, QueryLeaf } from '../query/query.ts';
import { resultTypes } from '../query/query.ts';
import { repositoryAccess } from '../code/repository-access.ts';
import type { CatalogueEntry } from './catalogue.ts';
import type { FoundPlaces, RepositoryTask } from './repository-research.ts';
import type { RepositoriesHaving } from './symbol-nodes.ts';

/** The same with every member required, as deep as it goes. */
type Whole<T> = T extends readonly (infer E)[]
  ? readonly Whole<E>[]
  : T extends object
    ? { readonly [K in keyof T]-?: Whole<Exclude<T[K], undefined>> }
    : T;

/** A schema of a type of the contracts. One that lacks a member of it, optional ones included, does not compile. */
const schemaOf =
  <T>() =>
  <O extends T>(schema: z.ZodType<O>, ..._lacks: Whole<O> extends Whole<T> ? [] : [member: never]): z.ZodType<T> =>
    schema;

const text = z.string();
const texts = z.array(text);
const truth = z.boolean();
const whole = z.int();
const maybe = <T extends z.ZodType>(schema: T): z.ZodExactOptional<T> => z.exactOptional(schema);

const info = schemaOf<RepositoryInfo>()(
  z.object({
    name: text,
    description: text,
    isPrivate: truth,
    isArchived: truth,
    isFork: truth,
    topics: maybe(texts),
    stars: maybe(whole),
    pushed: maybe(text),
    defaultBranch: text,
    clone: maybe(
      z.object({
        state: z.enum(['cloning', 'ready', 'failed', 'evicted']),
        evictedSince: maybe(text),
        failedSince: maybe(text),
        cause: maybe(text),
        fetched: maybe(text),
        depth: maybe(whole),
        progress: maybe(
          z.object({
            stage: z.enum(['waiting', 'preparing', 'receiving', 'resolving']),
            percent: maybe(z.number()),
            bytes: maybe(z.number()),
          }),
        ),
      }),
    ),
  }),
);

export const catalogueEntry = schemaOf<CatalogueEntry>()(
  z.object({
    info,
    access: maybe(repositoryAccess),
    hostedKey: maybe(text),
    formerNames: texts,
    branches: texts,
    absent: maybe(z.object({ message: text, retryAfterSeconds: maybe(z.number()) })),
  }),
);

const entryKind = z.enum(['file', 'executable', 'symlink', 'directory', 'submodule']);
export const foundEntry = schemaOf<FoundEntry>()(z.object({ kind: entryKind, id: text }));
export const treeFolder = schemaOf<TreeFolder>()(z.strictObject({ commit: text, path: text, limit: z.number() }));
export const treeListing = schemaOf<TreeListing>()(
  z.object({
    entries: z.array(z.object({ path: text, kind: entryKind })),
    isTruncated: truth,
  }),
);

export const encoding = z.enum(['utf-8', 'utf-16le', 'utf-16be', 'latin1']);

const refType = z.enum(['branch', 'tag']);
export const refFilter = schemaOf<RefFilter>()(
  z.strictObject({
    types: z.array(refType),
    containsCommit: maybe(text),
    limit: z.number(),
  }),
);
export const refList = schemaOf<RefList>()(
  z.object({
    refs: z.array(z.object({ name: text, type: refType, commit: text, isDefault: truth, date: text })),
    hasMore: truth,
    notes: maybe(texts),
  }),
);

const person = z.object({ name: text, email: text, date: text });
export const commitDetails = schemaOf<CommitDetails>()(
  z.object({
    commit: text,
    parents: texts,
    author: person,
    committer: person,
    message: text,
    isCut: maybe(truth),
  }),
);

export const blameRequest = schemaOf<BlameRequest>()(
  z.strictObject({
    commit: text,
    path: text,
    startLine: maybe(z.number()),
    endLine: maybe(z.number()),
  }),
);
export const blamedLine = schemaOf<BlamedLine>()(
  z.object({ line: whole, commit: text, author: person, title: text, isCut: maybe(truth) }),
);

export const comparedRevisions = schemaOf<ComparedRevisions>()(z.object({ base: text, head: text, note: maybe(text) }));

export const comparisonPage = schemaOf<ComparisonPage>()(
  z.strictObject({
    base: text,
    head: text,
    offset: z.number(),
    limit: z.number(),
    filesOnly: maybe(truth),
    below: maybe(text),
  }),
);
const hunk = z.object({
  oldStart: whole,
  oldLines: whole,
  newStart: whole,
  newLines: whole,
  section: text,
  lines: texts,
});
export const comparison = schemaOf<Comparison>()(
  z.object({
    base: text,
    head: text,
    totalAdded: whole,
    totalDeleted: whole,
    totalModified: whole,
    atLeast: z.array(z.enum(['files', 'lines'])),
    files: z.array(
      z.object({
        path: text,
        previousPath: maybe(text),
        status: z.enum(['added', 'deleted', 'modified', 'renamed', 'copied', 'type-changed']),
        added: whole,
        deleted: whole,
        isBinary: truth,
        oldMode: maybe(text),
        newMode: maybe(text),
        hunks: z.array(hunk),
        isTruncated: truth,
      }),
    ),
    totalFiles: whole,
    notes: texts,
  }),
);

export const traceRequest = schemaOf<TraceRequest>()(
  z.strictObject({ commit: text, path: text, startLine: z.number(), endLine: z.number(), limit: z.number() }),
);
export const lineTrace = schemaOf<LineTrace>()(
  z.object({
    changes: z.array(z.object({ commit: text, author: person, title: text, path: text, hunks: z.array(hunk) })),
    hasMore: truth,
    isCut: maybe(truth),
  }),
);

const bound = z.enum(['least', 'below']);
const presence = z.enum(['yes', 'no', 'only']);
/** A list that lacks a kind of leaf does not compile. */
const leafOf = <O extends QueryLeaf>(
  schema: z.ZodType<O>,
  ..._lacks: [QueryLeaf['kind']] extends [O['kind']] ? [] : [kind: never]
): z.ZodType<QueryLeaf> => schema;

const leaf = leafOf(
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('literal'), text, isCaseSensitive: truth }),
    z.object({ kind: z.literal('regex'), pattern: text, isCaseSensitive: truth }),
    z.object({ kind: z.enum(['repo', 'repo-has-path', 'file']), pattern: text }),
    z.object({ kind: z.enum(['repo-has-topic', 'lang']), name: text }),
    z.object({ kind: z.literal('rev'), revisions: texts }),
    z.object({ kind: z.enum(['fork', 'archived']), value: presence }),
    z.object({ kind: z.literal('visibility'), value: z.enum(['any', 'public', 'private']) }),
    z.object({ kind: z.literal('stars'), bound, value: z.number() }),
    z.object({ kind: z.literal('pushed'), bound, value: text }),
    z.object({ kind: z.enum(['author', 'message', 'line']), pattern: text }),
    z.object({ kind: z.enum(['after', 'before']), date: text }),
    z.object({ kind: z.literal('diff'), side: z.enum(['added', 'removed']) }),
  ]),
);
// The compiler does not see the recursion.
const query = z.lazy(() =>
  z.union([
    leaf,
    z.object({ kind: z.enum(['all', 'none']) }),
    z.object({ kind: z.enum(['and', 'or']), children: z.array(query) }),
    z.object({ kind: z.literal('not'), child: query }),
  ]),
) as z.ZodType<Query>;

const parsedQueryShape = {
  query,
  options: z.object({
    count: maybe(z.union([z.number(), z.literal('all')])),
    types: z.array(z.enum(resultTypes)),
    select: maybe(z.enum(['repo', 'file'])),
  }),
  notes: texts,
};
const parsedQuery = schemaOf<ParsedQuery>()(z.object(parsedQueryShape));

export const searchRequest = schemaOf<SearchRequest>()(
  z.strictObject({
    ...parsedQueryShape,
    mode: z.enum(['keyword', 'natural']),
    limits: z.object({
      files: z.number(),
      chunksPerFile: z.number(),
      chunkCharacters: z.number(),
      lineCharacters: z.number(),
      characters: maybe(z.number()),
      linesShownWhole: maybe(z.number()),
    }),
    explain: maybe(truth),
    isPart: maybe(truth),
    isNamed: maybe(truth),
  }),
);

const chunks = z.array(z.object({ startLine: whole, endLine: whole, lines: texts }));

export const searchResult = schemaOf<SearchResult>()(
  z.object({
    type: z.enum(['file', 'path', 'repo']),
    files: z.array(
      z.object({
        repo: text,
        path: text,
        revision: maybe(text),
        commit: text,
        chunks,
        matches: z.array(z.object({ line: whole, text, ranges: z.array(z.tuple([whole, whole])) })),
        matchCount: whole,
        score: maybe(z.object({ total: z.number(), parts: z.record(text, z.number()) })),
      }),
    ),
    matchCount: whole,
    fileCount: whole,
    limitHit: truth,
    notSearched: maybe(z.object({ files: whole, reasons: texts })),
    missing: maybe(texts),
    notes: texts,
    words: maybe(z.array(z.object({ stem: text, fileCount: whole }))),
  }),
);

const historyFilterShape = {
  authors: texts,
  after: maybe(text),
  before: maybe(text),
  revisions: texts,
  order: maybe(z.enum(['newest', 'oldest'])),
  isRegex: truth,
  isNamed: maybe(truth),
};
export const commitRequest = schemaOf<CommitRequest>()(
  z.strictObject({
    ...historyFilterShape,
    repositories: texts,
    messages: texts,
    contents: texts,
    paths: texts,
    count: z.number(),
  }),
);
export const diffRequest = schemaOf<DiffRequest>()(
  z.strictObject({
    ...historyFilterShape,
    repositories: texts,
    pattern: text,
    sides: z.array(z.enum(['added', 'removed'])),
    count: z.number(),
    isWhole: maybe(truth),
  }),
);
export const historyQuery = schemaOf<HistoryQuery>()(
  z.strictObject({ ...parsedQueryShape, limit: z.number(), isNamed: maybe(truth) }),
);

const commitShape = {
  repo: text,
  commit: text,
  author: z.object({ name: text, email: text }),
  date: text,
  authorDate: text,
  title: text,
  message: text,
};
const resultShape = <T extends z.ZodType>(result: T) => ({
  query: parsedQuery,
  results: z.array(result),
  totalCount: whole,
  isLimited: truth,
  notes: texts,
  missing: maybe(texts),
});
const foundCommits = resultShape(z.object({ ...commitShape, files: maybe(z.object({ paths: texts, total: whole })) }));
const foundDiffs = resultShape(
  z.object({
    ...commitShape,
    path: text,
    hunk: text,
    matchRanges: z.array(z.object({ line: whole, start: whole, end: whole })),
  }),
);
export const commitsFound = schemaOf<HistoryResult<FoundCommit>>()(z.object(foundCommits));
export const diffsFound = schemaOf<HistoryResult<FoundDiff>>()(z.object(foundDiffs));
export const historyFound = schemaOf<FoundHistory>()(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('commit'), ...foundCommits }),
    z.object({ type: z.literal('diff'), ...foundDiffs }),
  ]),
);
export const contributorRequest = schemaOf<ContributorRequest>()(
  z.strictObject({
    authors: texts,
    minCommits: z.number(),
    limit: z.number(),
  }),
);
export const indexState = schemaOf<IndexState>()(
  z.object({
    repo: text,
    state: z.enum(['indexed', 'indexing', 'failed']),
    files: whole,
    reason: maybe(text),
    nextTry: maybe(text),
    progress: maybe(z.number()),
    updated: maybe(z.object({ at: text, milliseconds: z.number() })),
  }),
);
export const contributorResult = schemaOf<ContributorResult>()(
  z.object({
    contributions: z.array(z.object({ repo: text, commits: whole, latest: text })),
    isLimited: truth,
    notes: texts,
    missing: maybe(texts),
  }),
);

const symbolRequestShape = {
  repo: text,
  path: text,
  symbol: text,
  revision: maybe(text),
  line: maybe(z.number()),
  isPart: maybe(truth),
};
export const symbolRequest = schemaOf<SymbolRequest>()(z.strictObject(symbolRequestShape));
export const referenceRequest = schemaOf<SymbolRequest & { readonly limit: number }>()(
  z.strictObject({ ...symbolRequestShape, limit: z.number() }),
);
export const sought = schemaOf<SoughtElsewhere>()(
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('name'),
      name: text,
      role: z.enum(['definition', 'use']),
      language: text,
      besides: maybe(text),
      packages: maybe(texts),
    }),
    z.strictObject({ kind: z.literal('manifest'), file: text, text, isOfAll: maybe(truth) }),
  ]),
);
export const repositoriesHaving = schemaOf<RepositoriesHaving>()(z.object({ repositories: texts, notes: texts }));
const symbolFiles = z.array(
  z.object({
    repo: text,
    path: text,
    revision: maybe(text),
    chunks,
    places: z.array(
      z.object({ line: whole, kind: text, container: maybe(text), range: maybe(z.tuple([whole, whole])) }),
    ),
    matchCount: maybe(whole),
    rate: maybe(z.number()),
  }),
);
const symbolAnswerShape = {
  files: symbolFiles,
  precision: z.enum(['precise', 'syntactic', 'text']),
  isByNameOnly: maybe(z.literal(true)),
  outside: maybe(z.object({ module: maybe(text) })),
  notes: maybe(texts),
  sought: maybe(z.array(sought)),
};
export const symbolAnswer = schemaOf<SymbolAnswer>()(z.object(symbolAnswerShape));
export const referenceAnswer = schemaOf<ReferenceAnswer>()(
  z.object({ ...symbolAnswerShape, totalCount: whole, limitHit: truth }),
);
export const symbolQuery = schemaOf<SymbolQuery>()(
  z.strictObject({ ...parsedQueryShape, limit: z.number(), isPart: maybe(truth), isNamed: maybe(truth) }),
);
export const symbolsFound = schemaOf<FoundSymbols>()(
  z.object({ files: symbolFiles, matchCount: whole, limitHit: truth, notes: texts }),
);
export const outlineRequest = schemaOf<OutlineRequest>()(
  z.strictObject({
    repo: text,
    path: text,
    revision: maybe(text),
    parts: maybe(z.array(z.object({ startLine: z.number(), endLine: z.number() }))),
  }),
);
export const outline = schemaOf<Outline>()(
  z.object({
    definitions: z.array(
      z.object({
        name: text,
        kind: text,
        line: whole,
        endLine: whole,
        container: maybe(text),
        signature: text,
        docs: maybe(text),
      }),
    ),
    limitHit: truth,
    notes: maybe(texts),
  }),
);

/** Its repository is that of the call. */
export const askedTask = schemaOf<Omit<RepositoryTask, 'repo'>>()(
  z.strictObject({
    revision: maybe(text),
    text,
    wants: z.enum(['places', 'definitions']),
    maxCalls: z.number(),
    maxSeconds: z.number(),
  }),
);
export const foundPlaces = schemaOf<FoundPlaces>()(
  z.object({
    places: z.array(
      z.object({
        repo: text,
        path: text,
        revision: maybe(text),
        commit: text,
        startLine: whole,
        endLine: whole,
        reason: text,
        score: z.number(),
        within: maybe(text),
        lines: texts,
        best: z.array(whole),
        headline: maybe(z.object({ kind: text, docs: maybe(text) })),
      }),
    ),
    notes: texts,
    calls: whole,
  }),
);
