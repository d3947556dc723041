export { CodeColours } from './pages/code-colours.ts';
export type { CodePiece, ColouredCode } from './pages/code-colours.ts';
export { AccessRules, byConfiguration } from './code/access-rules.ts';
export type { AccessExplanation } from './code/access-rules.ts';
export { AccessTokens } from './people/access-tokens.ts';
export type { AccessTokenInfo, AccessTokenRequest } from './people/access-tokens.ts';
export { Audit } from './people/audit.ts';
export type { AuditEvent, AuditFilter, AuditPage, RecordedEvent } from './people/audit.ts';
export { rfc3339, secondsOf } from './code/git/commit-date.ts';
export { CommittedReads } from './storage/committed-reads.ts';
export type { CommittedReadsOptions } from './storage/committed-reads.ts';
export {
  Conversations,
  conversationMarkdown,
  isFinal,
  longestComment,
  longestQuestion,
  mostScope,
  questionStatuses,
  ratings,
} from './people/conversations.ts';
export type {
  AnswerFeedback,
  Complaint,
  Conversation,
  ConversationPage,
  ConversationSummary,
  ConversationTurn,
  FeedbackSummary,
  QuestionStatus,
  Rating,
} from './people/conversations.ts';
export { Counters } from './people/counters.ts';
export type { CounterLimit, CountersOptions } from './people/counters.ts';
export { Credits } from './people/credits.ts';
export type { CreditBucket, CreditHold, CreditRequest } from './people/credits.ts';
export { Database, Secrets } from './storage/database.ts';
export type { DatabaseStore } from './storage/database.ts';
export { Directory, administratorName, personNamed, unknownUser, userNamed } from './people/directory.ts';
export type { ChangedBy, CredentialUse, DirectoryRole, DirectoryUser, NewUser } from './people/directory.ts';
export { matchesGlob } from './code/git/branch-glob.ts';
export { branchCommits } from './code/git/named-commits.ts';
export { existingRevisions, refNamesIn } from './code/git/existing-revisions.ts';
export { Evaluator } from './code/research/evaluator.ts';
export type { Evaluation, GeneratedFile, StoredFile } from './code/research/evaluator.ts';
export {
  historyFields,
  historyTerms,
  limitForCount,
  path,
  repo,
  revision,
  searchFields,
} from './code/fields.ts';
export { fetchWebhook } from './code/fetch-webhook.ts';
export { Fetches } from './code/fetches.ts';
export { contentsIn, lfsPointer, missingBlob } from './code/git/blob-batch.ts';
export type { BlobBatch, LfsPointer } from './code/git/blob-batch.ts';
export { GitStore, hashAt, hashesIn, isBlobMode, isFileMode, removedMode } from './code/git/git-store.ts';
export type {
  BlobOptions,
  ChangedEntry,
  CommitColumns,
  CommitRange,
  ListedEntry,
  MappedIdentity,
  PatchOptions,
  PatchRange,
  StoredObject,
  StoredRef,
  StoredRepository,
  StoreRun,
  TreeOptions,
} from './code/git/git-store.ts';
export { commitFormat, identityText } from './code/git/commit-record.ts';
export type { CommitRecord, Identity } from './code/git/commit-record.ts';
export { HunkLines, PatchParser, readPatches } from './code/git/patch-parser.ts';
export type { PatchSink } from './code/git/patch-parser.ts';
export { patchContextLines } from './code/git/type-change.ts';
export type { HunkSink } from './code/git/type-change.ts';
export { textOf, utf8Of } from './code/git/written-text.ts';
export { History } from './code/history.ts';
export type {
  Commit,
  CommitFiles,
  CommitRequest,
  Contribution,
  ContributorRequest,
  ContributorResult,
  DiffRequest,
  DiffSide,
  FoundCommit,
  FoundDiff,
  FoundHistory,
  HistoryFilter,
  HistoryOrder,
  HistoryQuery,
  HistoryResult,
  MatchRange,
} from './code/history.ts';
export {
  languageNames,
  languageOfFile,
  languagePattern,
  namesOfLanguage,
  requireLanguagePattern,
} from './code/symbols/language-files.ts';
export { LanguageModel } from './code/research/language-model.ts';
export { HostedRepositories } from './hosts/hosted-repositories.ts';
export type { HostedReader, HostedRepository } from './hosts/hosted-repositories.ts';
export { Identities } from './people/identities.ts';
export type { SignInIdentity } from './people/identities.ts';
export { Languages } from './code/symbols/language.ts';
export type { ImportRequest, Language, PackageManifest, SourceTree } from './code/symbols/language.ts';
export { PageLinks } from './pages/page-links.ts';
export { Links, linkedSource } from './pages/links.ts';
export type { LinkTarget } from './pages/links.ts';
export { OAuthClients, manageOAuthClients } from './people/oauth-clients.ts';
export type { NewOAuthClient, OAuthClientEditor, OAuthClientFilter, OAuthClientInfo } from './people/oauth-clients.ts';
export { navigationOrder } from './pages/navigation-order.ts';
export { isAnonymous, pageFrame } from './pages/page-frame.ts';
export type { PageFrame } from './pages/page-frame.ts';
export { SearchScopes } from './code/search/search-scopes.ts';
export type { SearchScope } from './code/search/search-scopes.ts';
export type { Target } from './code/search/targets.ts';
export { LeftOut, notSearched, partNotSearched } from './code/search/left-out.ts';
export type { LeftOutRepository } from './code/search/left-out.ts';
export { isAhead } from './code/is-ahead.ts';
export { IndexStates } from './code/index-states.ts';
export type { IndexState } from './code/index-states.ts';
export { instanceURL, reportPeriod } from './people/period.ts';
export { mistakenGlob } from './query/filter-values.ts';
export { filterAliases, filterList, filters, filtersInTools, leavesOfRole } from './query/filters.ts';
export type { FilterDefinition, FilterName, FilterRole } from './query/filters.ts';
export { readDate } from './query/dates.ts';
export { askedQuery, parseQuery, queryLimits } from './query/parse.ts';
export { filterPattern, printPart, printQuery } from './query/print.ts';
export { evaluate, leavesOf, simplify } from './query/algebra.ts';
export {
  findRepositories,
  forRepositories,
  namesRepositories,
  withHostFacts,
} from './query/of-repositories.ts';
export type { FileLeaf, NamesMatching, QueryOfFiles } from './query/of-repositories.ts';
export { repositoryNotes } from './query/repository-notes.ts';
export type { ReducedQuery } from './query/repository-notes.ts';
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
  RangeBound,
  ReadBy,
  ResultType,
} from './query/query.ts';
export { QuerySyntaxError } from './query/syntax-error.ts';
export { isGranted, repositoryAccess } from './code/repository-access.ts';
export type { RepositoryAccess } from './code/repository-access.ts';
export { pickNamed, pickWhere } from './code/picked-repositories.ts';
export type {
  NameClause,
  NamedRepositories,
  PickedRepositories,
  RepositoryNaming,
} from './code/picked-repositories.ts';
export { repositoryNamed } from './code/repository-named.ts';
export type { NamedIn } from './code/repository-named.ts';
export { repositoryNameProblem } from './code/repository-name.ts';
export { Repositories, isCloned, lineStartsOf, requireReadable } from './code/repositories.ts';
export type {
  Asking,
  BlameRequest,
  BlamedLine,
  ComparedRevisions,
  ChangeStatus,
  CloneInfo,
  CloneProgress,
  CommitDetails,
  CommitPerson,
  Comparison,
  ComparisonPage,
  EntryKind,
  FileChange,
  FoundEntry,
  Hunk,
  LineChange,
  LineTrace,
  Ref,
  RefFilter,
  RefList,
  RefType,
  Repository,
  RepositoryInfo,
  TextFile,
  TraceRequest,
  TreeEntry,
  TreeFolder,
  TreeListing,
} from './code/repositories.ts';
export { Researcher } from './code/research/researcher.ts';
export type {
  AnswerPart,
  Localisation,
  ResearchAnswer,
  ResearchLocation,
  ResearchQuestion,
  ResearchSource,
  ResearchProgress,
  ResearchTask,
  ResearchTurn,
  ResearchWork,
} from './code/research/researcher.ts';
export { cloneDepth } from './hosts/clone-depth.ts';
export { credentialHelper, helperCommand, missingHelper } from './hosts/credential-helper.ts';
export type { AskedLogin } from './hosts/credential-helper.ts';
export { sshHostOf, sshLogin } from './hosts/ssh-login.ts';
export type { SSHLogin } from './hosts/ssh-login.ts';
export { SourceTypes, defineSourceType, sourcePermissions, visibilities } from './hosts/repository-source.ts';
export type {
  GitLogin,
  HostAccount,
  HostEvent,
  HostMessage,
  HostRepository,
  ReadableRepositories,
  RepositorySource,
  SourceCheck,
  SourceContext,
  SourcePermissions,
  SourceType,
  SourceTypeDefinition,
  Visibility,
} from './hosts/repository-source.ts';
export { returnPath } from './pages/return-path.ts';
export { answerFor, fileBlock, numberedChunk, searchAnswer, searchBlock } from './code/search/search-answer.ts';
export { fileBlocksText, noteLines, searchAnswerText } from './code/search/search-answer-text.ts';
export type { FileBlock, SearchAnswer } from './code/search/search-answer.ts';
export {
  answerLimits,
  defaultSearchLimits,
  filesThatFit,
  mostFilesOfAnswer,
  onlyRepositories,
  typeOfAnswer,
  wantedChanges,
  wantedFiles,
} from './code/search/answer-limits.ts';
export type { AnswerLimits } from './code/search/answer-limits.ts';
export { Search, hasMoreLines } from './code/search/search.ts';
export type {
  Chunk,
  FoundFile,
  FoundWord,
  MatchedLine,
  NotSearched,
  SearchLimits,
  SearchRequest,
  SearchResult,
} from './code/search/search.ts';
export { migrateStore } from './storage/migrate-store.ts';
export type { MigrateStoreOptions } from './storage/migrate-store.ts';
export { Sessions } from './people/sessions.ts';
export { SignInLinks } from './people/sign-in-links.ts';
export type { BrowserSession, SeenSession, SignInWay } from './people/sessions.ts';
export { PreciseIndex, scipUpload } from './code/symbols/precise-index.ts';
export type { IndexUpload, PrecisePlace, PreciseUses, UploadedIndex } from './code/symbols/precise-index.ts';
export { innermostAround, qualifiedName, tellingPlaces } from './code/symbols/definitions-around.ts';
export { Symbols } from './code/symbols/symbols.ts';
export type {
  FoundSymbols,
  Outline,
  OutlineEntry,
  OutlineRequest,
  Precision,
  ReferenceAnswer,
  Outside,
  SoughtElsewhere,
  SymbolAnswer,
  SymbolFile,
  SymbolPlace,
  SymbolQuery,
  SymbolRequest,
} from './code/symbols/symbols.ts';
export { Usage, analyticsRead, granularities, maxSpans, seesEveryonesUsage, spans } from './people/usage.ts';
export type {
  Cohort,
  Granularity,
  InstanceUsage,
  NamedTally,
  OverviewRequest,
  Period,
  Span,
  SpanTally,
  Tally,
  UsageCounts,
  UsageFilter,
  UsageOverview,
  UsageRequest,
  UsageRow,
  UsageUser,
} from './people/usage.ts';
