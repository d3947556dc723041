export { CommittedReads } from './committed-reads.ts';
export type { CommittedReadsOptions } from './committed-reads.ts';
export { Database } from './database.ts';
export { Directory, administratorName } from './directory.ts';
export type { CredentialUse, DirectoryUser, NewUser } from './directory.ts';
export { path, repo, revision } from './fields.ts';
export { Repositories } from './repositories.ts';
export type {
  ChangeStatus,
  Comparison,
  ComparisonPage,
  EntryKind,
  FileChange,
  Hunk,
  Ref,
  RefFilter,
  RefList,
  RefType,
  Repository,
  RepositoryInfo,
  TextFile,
  TreeEntry,
  TreeListing,
} from './repositories.ts';
