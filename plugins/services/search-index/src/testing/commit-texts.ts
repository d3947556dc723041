import { isUtf8 } from 'node:buffer';
import { execFileSync } from 'node:child_process';

const mostBytes = 16 << 20;

/** What git prints; where `git grep` finds nothing that is nothing. */
export function gitIn(repository: string, args: readonly string[], input = ''): Buffer {
  const env = { ...process.env, LC_ALL: 'C' };
  try {
    return execFileSync('git', ['-C', repository, ...args], { input, env, maxBuffer: 1 << 30, stdio: 'pipe' });
  } catch (error) {
    if (args[0] === 'grep' && error instanceof Error && 'status' in error && error.status === 1) return Buffer.alloc(0);
    throw error;
  }
}

/** The bytes of each file of a commit by its path, but for those that are too large for a search, and links. */
export function* filesIn(repository: string, revision: string): Generator<readonly [path: string, bytes: Buffer]> {
  const entries = gitIn(repository, ['ls-tree', '-r', '-z', '-l', revision]).toString().split('\0').slice(0, -1);
  const wanted = entries.flatMap((entry) => {
    const [, mode, id, size, path] = /^(\S+) \S+ (\S+) +(\S+)\t([^]*)$/.exec(entry) ?? [];
    return mode?.startsWith('100') && Number(size) <= mostBytes && id && path ? [{ id, path }] : [];
  });
  const output = gitIn(repository, ['cat-file', '--batch'], wanted.map(({ id }) => `${id}\n`).join(''));
  let at = 0;
  for (const { path } of wanted) {
    const start = output.indexOf('\n', at) + 1;
    const size = Number(output.toString('latin1', at, start - 1).split(' ')[2]);
    at = start + size + 1;
    yield [path, output.subarray(start, start + size)];
  }
}

/** A text that is read as it stands there; undefined for any other. */
export function plainText(bytes: Buffer): string | undefined {
  const text = bytes.toString();
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb;
  return bytes.includes(0) || hasMark || text.includes('\ufffd') ? undefined : text;
}

/** A text in any encoding that is known; undefined for a binary file. */
export function decodedText(bytes: Buffer): string | undefined {
  const text = decoded(bytes);
  return text.includes('\0') ? undefined : text;
}

function decoded(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  // What TextDecoder calls Latin-1 is another encoding.
  return isUtf8(bytes) ? new TextDecoder().decode(bytes) : bytes.toString('latin1');
}
