/** What a path holds; text and bytes are plain files, null removes the path. */
export type FileContent = string | Uint8Array | FileEntry | null;

/** A path that is not a plain file. Made by `executable`, `symlink` and `submodule`. */
export interface FileEntry {
  readonly mode: '100644' | '100755' | '120000' | '160000';
  readonly content: string | Uint8Array;
}

export const executable = (content: string | Uint8Array): FileEntry => ({ mode: '100755', content });
export const symlink = (target: string): FileEntry => ({ mode: '120000', content: target });
export const submodule = (commit: string): FileEntry => ({ mode: '160000', content: commit });

export interface ImportedCommit {
  message?: string;
  /** Paths by name; a map where names are bytes that are no UTF-8. */
  files?: Readonly<Record<string, FileContent>> | ReadonlyMap<string | Uint8Array, FileContent>;
  branch?: string;
  /** Hashes or branches; more than one makes a merge, none a root. */
  parents?: readonly string[];
  author?: { name: string; email: string };
  /** Seconds since 1970. */
  date?: number;
}

/** The commit as `git fast-import` reads it; it prints the commit's hash. */
export function fastImportStream(
  commit: Required<Pick<ImportedCommit, 'branch' | 'date' | 'message' | 'parents'>> & ImportedCommit,
): Buffer {
  const { name, email } = commit.author ?? { name: 'Ada', email: 'ada@example.com' };
  const [first, ...merged] = commit.parents;
  // A branch that is there would otherwise become the parent of what shall be a root.
  const reset = first === undefined ? [`reset refs/heads/${commit.branch}\n`] : [];
  const head = [
    ...reset,
    `commit refs/heads/${commit.branch}\nmark :1\n`,
    `author ${name} <${email}> ${commit.date} +0000\n`,
    `committer ${name} <${email}> ${commit.date} +0000\n`,
  ];
  const parents = [...(first === undefined ? [] : [`from ${first}\n`]), ...merged.map((parent) => `merge ${parent}\n`)];
  const files = commit.files instanceof Map ? [...commit.files] : Object.entries(commit.files ?? {});
  const changes = files.flatMap(([path, content]) => change(path, content));
  return Buffer.concat([
    ...head.map(bytes),
    data(commit.message),
    ...parents.map(bytes),
    ...changes,
    bytes('\nget-mark :1\n'),
  ]);
}

function change(path: string | Uint8Array, content: FileContent): Buffer[] {
  if (content === null) return [bytes(`D ${quoted(path)}\n`)];
  const entry = isEntry(content) ? content : { mode: '100644', content };
  if (entry.mode === '160000') return [bytes(`M 160000 ${String(entry.content)} ${quoted(path)}\n`)];
  return [bytes(`M ${entry.mode} inline ${quoted(path)}\n`), data(entry.content)];
}

const isEntry = (content: string | Uint8Array | FileEntry): content is FileEntry =>
  typeof content === 'object' && 'mode' in content;

/** In quotes, with everything that is not a plain character as octal escapes. */
const quoted = (path: string | Uint8Array): string =>
  `"${[...toBuffer(path)].map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`)).join('')}"`;

const isPlain = (byte: number): boolean => byte > 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
const bytes = (text: string): Buffer => Buffer.from(text);
const data = (content: string | Uint8Array): Buffer =>
  Buffer.concat([bytes(`data ${Buffer.byteLength(content)}\n`), toBuffer(content), bytes('\n')]);
const toBuffer = (value: string | Uint8Array): Buffer =>
  typeof value === 'string' ? Buffer.from(value) : Buffer.from(value);
