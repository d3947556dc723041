export { AccessTokens } from './access-tokens.ts';
export type { AccessTokenInfo, AccessTokenRequest } from './access-tokens.ts';
export { Audit } from './audit.ts';
export type { AuditEvent, AuditFilter, RecordedEvent } from './audit.ts';
export { rfc3339, secondsOf } from './commit-date.ts';
export { CommittedReads } from './committed-reads.ts';
export type { CommittedReadsOptions } from './committed-reads.ts';
export { Conversations, conversationMarkdown, isFinal, longestQuestion, questionStatuses } from './conversations.ts';
export type {
  Conversation,
  ConversationPage,
  ConversationSummary,
  ConversationTurn,
  QuestionStatus,
} from './conversations.ts';
export { Counters } from './counters.ts';
export type { CounterLimit, CountersOptions } from './counters.ts';
export { Credits } from './credits.ts';
export type { CreditBucket, CreditHold, CreditRequest } from './credits.ts';
export { Database } from './database.ts';
export type { DatabaseStore } from './database.ts';
export { Directory, administratorName } from './directory.ts';
export type { ChangedBy, CredentialUse, DirectoryRole, DirectoryUser, NewUser } from './directory.ts';
export { Evaluator } from './evaluator.ts';
export type { Evaluation, GeneratedFile, StoredFile } from './evaluator.ts';
export { historyFields, historyTerms, path, repo, revision } from './fields.ts';
export { Fetches } from './fetches.ts';
export { contentsIn, missingBlob } from './blob-batch.ts';
export type { BlobBatch } from './blob-batch.ts';
export { GitStore, isBlobMode, isFileMode, removedMode } from './git-store.ts';
export type {
  BlobOptions,
  ChangedEntry,
  ListedEntry,
  StoreCommand,
  StoredObject,
  StoredRef,
  StoredRepository,
  StoreRun,
  TreeOptions,
} from './git-store.ts';
export { unquotePath } from './quoted-path.ts';
export { History } from './history.ts';
export type {
  Commit,
  CommitRequest,
  Contribution,
  ContributorRequest,
  ContributorResult,
  DiffRequest,
  DiffSide,
  FoundDiff,
  FoundHistory,
  HistoryFilter,
  HistoryQuery,
  HistoryResult,
  MatchRange,
} from './history.ts';
export { languageNames, languageOfFile, languagePattern, namesOfLanguage } from './language-files.ts';
export { LanguageModel } from './language-model.ts';
export { Languages } from './language.ts';
export type { ImportRequest, Language, PackageManifest, SourceTree } from './language.ts';
export { Links, linkedSource } from './links.ts';
export type { LinkTarget } from './links.ts';
export { OAuthClients, manageOAuthClients } from './oauth-clients.ts';
export type { NewOAuthClient, OAuthClientEditor, OAuthClientFilter, OAuthClientInfo } from './oauth-clients.ts';
export { isAnonymous, pageFrame } from './page-frame.ts';
export type { PageFrame } from './page-frame.ts';
export { LeftOut, notSearched } from './left-out.ts';
export type { LeftOutRepository } from './left-out.ts';
export { isAhead } from './is-ahead.ts';
export { IndexStates } from './index-states.ts';
export type { IndexState } from './index-states.ts';
export { instanceURL, reportPeriod } from './period.ts';
export { mistakenGlob } from './query/filter-values.ts';
export { parseQuery, queryLimits } from './query/parse.ts';
export { printPart, printQuery } from './query/print.ts';
export { evaluate, leavesOf, simplify } from './query/algebra.ts';
export { literal, positiveTerms, queryOf, repositoriesNamed, resultTypes, subjectOf } from './query/query.ts';
export type {
  CommitFilter,
  ParsedQuery,
  Presence,
  Query,
  QueryFilter,
  QueryLeaf,
  QueryOptions,
  QuerySubject,
  QueryTerm,
  ResultType,
} from './query/query.ts';
export { QuerySyntaxError } from './query/syntax-error.ts';
export { Repositories } from './repositories.ts';
export type {
  ChangeStatus,
  CloneInfo,
  CommitDetails,
  CommitPerson,
  Comparison,
  ComparisonPage,
  EntryKind,
  FileChange,
  FoundEntry,
  Hunk,
  Ref,
  RefFilter,
  RefList,
  RefType,
  Repository,
  RepositoryInfo,
  TextFile,
  TreeEntry,
  TreeFolder,
  TreeListing,
} from './repositories.ts';
export { Researcher } from './researcher.ts';
export type {
  AnswerPart,
  Localisation,
  ResearchAnswer,
  ResearchLocation,
  ResearchQuestion,
  ResearchSource,
  ResearchTask,
  ResearchTurn,
  ResearchWork,
} from './researcher.ts';
export { returnPath } from './return-path.ts';
export {
  answerOf,
  fileBlock,
  findToShow,
  fileBlocksText,
  noteLines,
  numberedChunk,
  searchAnswer,
  searchAnswerText,
  searchBlock,
} from './search-answer.ts';
export type { FileBlock, SearchAnswer } from './search-answer.ts';
export { Search, defaultSearchLimits, hasMoreLines } from './search.ts';
export type {
  Chunk,
  FoundFile,
  FoundWord,
  MatchedLine,
  NotSearched,
  SearchLimits,
  SearchRequest,
  SearchResult,
} from './search.ts';
export { readOrMakeSecretFile, writeBeside } from './secret-file.ts';
export { Sessions } from './sessions.ts';
export type { BrowserSession, SignInWay } from './sessions.ts';
export { PreciseIndex, scipUpload } from './precise-index.ts';
export type { IndexUpload, PrecisePlace, PreciseUses, UploadedIndex } from './precise-index.ts';
export { Symbols } from './symbols.ts';
export type {
  FoundSymbols,
  Outline,
  OutlineEntry,
  Precision,
  ReferenceAnswer,
  SymbolAnswer,
  SymbolFile,
  SymbolPlace,
  SymbolQuery,
  SymbolRequest,
} from './symbols.ts';
export { Usage, analyticsRead, granularities, maxSpans, seesEveryonesUsage, spans } from './usage.ts';
export type {
  Granularity,
  InstanceUsage,
  NamedTally,
  OverviewRequest,
  Period,
  Span,
  SpanTally,
  Tally,
  UsageCounts,
  UsageOverview,
  UsageRequest,
  UsageRow,
  UsageUser,
} from './usage.ts';
