import { isSextantError, token } from '@sextant/core';
import type { Caller } from '@sextant/core';

/** What everyone who may read a repository may know of it. */
export interface RepositoryInfo {
  readonly name: string;
  readonly description: string;
  /** Whether some signed-in users may not read it. */
  readonly isPrivate: boolean;
  readonly isArchived: boolean;
  readonly isFork: boolean;
  /** As its code host has them; absent for one of no host. */
  readonly topics?: readonly string[];
  /** Absent where its code host does not tell. */
  readonly stars?: number;
  /** The last push that its code host tells of, RFC 3339 in UTC; absent where it tells of none. */
  readonly pushed?: string;
  /** Short name of the branch that HEAD names; empty while HEAD is detached. */
  readonly defaultBranch: string;
  /** Absent for one that is read where it stands. */
  readonly clone?: CloneInfo;
}

/** A copy that the server makes and keeps up to date. */
export interface CloneInfo {
  /** Before it is `ready` it cannot be opened. */
  readonly state: 'cloning' | 'ready' | 'failed' | 'evicted';
  /** Since when it is gone to keep a quota of disk, RFC 3339 in UTC; also while it is cloned again. */
  readonly evictedSince?: string;
  /** Since when it fails, RFC 3339 in UTC; absent unless it does. */
  readonly failedSince?: string;
  /** Why, in words that name neither places nor addresses; absent where that is not understood. */
  readonly cause?: string;
  /** When it was last brought up to date since the server started, RFC 3339 in UTC. */
  readonly fetched?: string;
  /** Commits of each branch and tag that it is to have at least; absent: all. */
  readonly depth?: number;
  /** How far it is; absent unless it is being cloned. */
  readonly progress?: CloneProgress;
}

/** Whether it can be opened at once. */
export const isCloned = ({ clone }: Pick<RepositoryInfo, 'clone'>): boolean =>
  clone === undefined || clone.state === 'ready';

/** How far a repository is cloned. */
export interface CloneProgress {
  /** Until its turn comes; while its host counts and packs objects; while they come; while git works them up. */
  readonly stage: 'waiting' | 'preparing' | 'receiving' | 'resolving';
  /** Of the stage, from 0 to 100. */
  readonly percent?: number;
  /** Received so far. */
  readonly bytes?: number;
}

/** How a repository is asked for. */
export interface Asking {
  /**
   * Whether a call names it, which keeps its clone on a disk with a quota, and brings back one that was evicted. It does not where a
   * list, a page over all or the background looks at it in passing.
   */
  readonly isNamed: boolean;
}

/** Repositories as one caller may see them. There is no way to a repository but through a caller. */
export interface Repositories {
  /** Repositories that the caller may read, in the order of their names (by code unit). */
  list(caller: Caller): Promise<RepositoryInfo[]>;
  /**
   * Throws `not_found`, the same for one that does not exist and one that the caller may not read. It is named unless `asking` says
   * otherwise.
   */
  open(caller: Caller, name: string, asking?: Asking): Promise<Repository>;
}

/** What a tree entry is. Git LFS pointers are files. */
export type EntryKind = 'file' | 'executable' | 'symlink' | 'directory' | 'submodule';

export interface TreeEntry {
  /** Full path from the root; bytes that are not UTF-8 are shown as U+FFFD. */
  readonly path: string;
  readonly kind: EntryKind;
}

/** What stands at a path. */
export interface FoundEntry {
  readonly kind: EntryKind;
  /** Of the blob or tree; of a submodule the commit. Equal ids are equal contents. */
  readonly id: string;
}

/** A directory of a commit, by its full path from the root, and how many entries are wanted of it. */
export interface TreeFolder {
  readonly commit: string;
  readonly path: string;
  readonly limit: number;
}

export interface TreeListing {
  /** Direct children, directories first, each group by name (by code unit). */
  readonly entries: readonly TreeEntry[];
  readonly isTruncated: boolean;
}

/** A file decoded to text. */
export interface TextFile {
  /** LF, CRLF and CR alone are kept as they are; no byte order mark. */
  readonly text: string;
  /** Size of the blob. */
  readonly bytes: number;
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin1';
  /** Offsets into `text` at which lines begin; a final line end begins no line. Empty for an empty file. */
  readonly lineStarts: readonly number[];
}

/** `lineStarts` of a text. Only LF ends a line, as in git's diffs and searches: the numbers agree with theirs. */
export function lineStartsOf(text: string): number[] {
  const starts: number[] = [];
  for (let start = 0; start < text.length; ) {
    starts.push(start);
    const end = text.indexOf('\n', start);
    start = end < 0 ? text.length : end + 1;
  }
  return starts;
}

export type RefType = 'branch' | 'tag';

export interface Ref {
  /** Short name, without refs/heads/ or refs/tags/. */
  readonly name: string;
  readonly type: RefType;
  /** Full hash of the commit; annotated tags are peeled. */
  readonly commit: string;
  readonly isDefault: boolean;
  /** Committer date (a tag's own date where it has one), RFC 3339 in UTC. */
  readonly date: string;
}

export interface RefFilter {
  types: readonly RefType[];
  /** A revision: only refs from which it is reachable. */
  containsCommit?: string;
  limit: number;
}

export interface RefList {
  /** The default branch first, then newest first, then by name. */
  readonly refs: readonly Ref[];
  readonly hasMore: boolean;
  /** What the list lacks, such as refs to objects that the repository lacks; absent: nothing. */
  readonly notes?: readonly string[];
}

export type ChangeStatus = 'added' | 'deleted' | 'modified' | 'renamed' | 'copied' | 'type-changed';

export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** What git prints behind the second `@@`. */
  readonly section: string;
  /** Lines with their marker (` `, `+`, `-`, `\`), without line ends between hunks' lines. */
  readonly lines: readonly string[];
}

export interface FileChange {
  readonly path: string;
  /** Of a renamed or copied file. */
  readonly previousPath?: string;
  readonly status: ChangeStatus;
  /** Lines; 0 for a binary file, and for one that is too large to be compared. */
  readonly added: number;
  readonly deleted: number;
  /** Or over 16 MiB. */
  readonly isBinary: boolean;
  readonly oldMode?: string;
  readonly newMode?: string;
  readonly hunks: readonly Hunk[];
  /** Whether hunks were left out because the diff is too large. */
  readonly isTruncated: boolean;
}

export interface Comparison {
  /** Full hashes: of the merge base with `head` (or of `base` where the histories have none in common), and of head. */
  readonly base: string;
  readonly head: string;
  readonly totalAdded: number;
  readonly totalDeleted: number;
  readonly totalModified: number;
  /** The totals that are lower bounds: `notes` says why. */
  readonly atLeast: readonly ('files' | 'lines')[];
  /** One page of the changed files, by path as git orders them. */
  readonly files: readonly FileChange[];
  /** Number of files that can be asked for. */
  readonly totalFiles: number;
  /** Sentences about what was left out, or not looked for, and why. */
  readonly notes: readonly string[];
}

export interface CommitPerson {
  readonly name: string;
  readonly email: string;
  /** RFC 3339 in UTC. */
  readonly date: string;
}

/** A commit as it was made. */
export interface CommitDetails {
  /** Full hashes. */
  readonly commit: string;
  readonly parents: readonly string[];
  readonly author: CommitPerson;
  readonly committer: CommitPerson;
  /** Without line ends at its end. */
  readonly message: string;
  /** Whether its parents are not here, as the history of a shallow clone begins with it: what it changed is not known. */
  readonly isCut?: boolean;
}

/** Lines of a file as a commit has it; without `startLine` and `endLine` all of them. */
export interface BlameRequest {
  /** Full hash. */
  commit: string;
  path: string;
  /** From 1. */
  startLine?: number;
  /** Inclusive; beyond the last line it means the last line. */
  endLine?: number;
}

/** The commit that a line of a file comes from. */
export interface BlamedLine {
  /** From 1. */
  readonly line: number;
  /** Full hash. */
  readonly commit: string;
  /** As the commit was made, without a mailmap. */
  readonly author: CommitPerson;
  /** First line of the commit's message; its first 1,000 characters where it is longer. */
  readonly title: string;
  /** Whether the line may be older, as the history of a shallow clone begins with the commit. */
  readonly isCut?: boolean;
}

/** Lines of a file as a commit has it, whose history is asked for. */
export interface TraceRequest {
  /** Full hash. */
  commit: string;
  path: string;
  /** From 1. */
  startLine: number;
  /** Inclusive; beyond the last line it means the last line. */
  endLine: number;
  /** Most changes. */
  limit: number;
}

/** What a commit changed of traced lines. */
export interface LineChange {
  /** Full hash. */
  readonly commit: string;
  /** As the commit was made, without a mailmap. */
  readonly author: CommitPerson;
  /** First line of the commit's message; its first 1,000 characters where it is longer. */
  readonly title: string;
  /** Of the file in this commit; a later one may have renamed it. */
  readonly path: string;
  /** The traced lines before and after the change; a large change lacks its rest. */
  readonly hunks: readonly Hunk[];
}

export interface LineTrace {
  /** Newest first. */
  readonly changes: readonly LineChange[];
  readonly hasMore: boolean;
  /** Whether older changes are not known, as the history of a shallow clone begins later. */
  readonly isCut?: boolean;
}

/** Full hashes of what is compared. */
export interface ComparedRevisions {
  readonly base: string;
  readonly head: string;
  /** Why `base` may not be the best common ancestor, as a sentence; absent where it is. */
  readonly note?: string;
}

/** A page of the files of a comparison of two full commit hashes, so that it stays the same while branches move. */
export interface ComparisonPage {
  /** Empty: with nothing, so that all files are added. */
  base: string;
  head: string;
  offset: number;
  limit: number;
  /** Without hunks, which take longer than all else. */
  filesOnly?: boolean;
  /** Only files of this folder, or this file: also the totals are theirs. Throws `too_large` where too many files differ. */
  below?: string;
}

/**
 * One repository, opened for one caller. Every method stops when `signal` aborts. Throws `not_found` for what does not
 * exist, `invalid_argument` for an impossible revision or path, and `unavailable` if the repository is gone or damaged,
 * or git fails. If the repository may be the cause, the error names it.
 */
export interface Repository {
  readonly info: RepositoryInfo;
  /** Full hash of the commit that a revision names; the default branch's (or detached HEAD's) without one. */
  resolve(revision: string | undefined, signal: AbortSignal): Promise<string>;
  find(commit: string, path: string, signal: AbortSignal): Promise<FoundEntry>;
  readCommit(commit: string, signal: AbortSignal): Promise<CommitDetails>;
  /** A file as it is stored, or where a symbolic link leads. Throws as `readText`, but not for binary files and pointers. */
  readBytes(commit: string, path: string, signal: AbortSignal): Promise<Uint8Array>;
  /** Throws `invalid_argument` for a directory, submodule, binary file or Git LFS pointer, `too_large` above 64 MiB. */
  readText(commit: string, path: string, signal: AbortSignal): Promise<TextFile>;
  /** `resolve` and `readText` as one call. */
  readTextAt(
    revision: string | undefined,
    path: string,
    signal: AbortSignal,
  ): Promise<{ readonly commit: string; readonly file: TextFile }>;
  /** Throws `invalid_argument` for a path that is no directory. The root is the empty path. */
  listTree(folder: TreeFolder, signal: AbortSignal): Promise<TreeListing>;
  /**
   * Who wrote each line, in the order of the lines. Throws as `readText`, `invalid_argument` also for lines that the file
   * lacks, and `too_large` for more than 20,000 lines at once.
   */
  blame(request: BlameRequest, signal: AbortSignal): Promise<readonly BlamedLine[]>;
  /**
   * The changes of some lines, newest first, as they are followed through the history of their file and its renames. Takes
   * seconds where the history is long. Throws as `blame`, and `too_large` for more than 1,000 lines.
   */
  trace(request: TraceRequest, signal: AbortSignal): Promise<LineTrace>;
  listRefs(filter: RefFilter, signal: AbortSignal): Promise<RefList>;
  /** Full hashes to compare as a code host compares base...head. Throws `not_found` for unknown revisions. */
  mergeBase(base: string, head: string, signal: AbortSignal): Promise<ComparedRevisions>;
  compare(page: ComparisonPage, signal: AbortSignal): Promise<Comparison>;
}

/** What plugins in a process of their own have of an opened repository. */
const repositoryMembers: readonly (keyof Repository)[] = [
  'info',
  'resolve',
  'find',
  'readCommit',
  'readBytes',
  'readText',
  'readTextAt',
  'listTree',
  'listRefs',
  'mergeBase',
  'compare',
  'blame',
  'trace',
];

export const Repositories = token<Repositories>('repositories', {
  remote: { list: 'caller', open: { by: 'caller', gives: repositoryMembers } },
});

/** Throws `not_found` for a repository that the caller may not read. It need not be there now, and is not named. */
export async function requireReadable(repositories: Repositories, caller: Caller, name: string): Promise<void> {
  try {
    await repositories.open(caller, name, { isNamed: false });
  } catch (error) {
    if (!isSextantError(error) || error.code !== 'unavailable') throw error;
  }
}
