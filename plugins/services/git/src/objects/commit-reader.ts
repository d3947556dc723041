import { rfc3339, secondsOf } from '@sextant/contracts';
import type { CommitDetails, CommitPerson } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import type { GitFolder } from '../storage/git-folder.ts';
import { olderMayBeMissing } from '../storage/shallow-file.ts';
import type { ObjectReader } from './object-reader.ts';

const maxCommitBytes = 4 * 1024 * 1024;
const maxParents = 1000;

/** Reads commits as they were made. */
export class CommitReader {
  readonly #objects: ObjectReader;

  constructor(objects: ObjectReader) {
    this.#objects = objects;
  }

  async read(folder: GitFolder, commit: string, signal: AbortSignal): Promise<CommitDetails> {
    if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit))
      throw new SextantError('invalid_argument', 'a commit is given as its full hash here');
    const object = await this.#objects.read(folder, commit, { maxBytes: maxCommitBytes, signal });
    const start = folder.historyStart;
    if (!object) throw new SextantError('not_found', `commit ${commit} not found.${olderMayBeMissing(start)}`);
    if (object.type !== 'commit')
      throw new SextantError('invalid_argument', `${commit} names a ${object.type}, not a commit`);
    return { ...parse(commit, object.content), ...(start.commits.has(commit) && { isCut: true }) };
  }
}

function parse(commit: string, content: Buffer): CommitDetails {
  const end = content.indexOf('\n\n');
  const headers = content.toString('latin1', 0, end < 0 ? content.length : end).split('\n');
  const valueOf = (name: string): string =>
    headers.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? '';
  const decode = decoderOf(valueOf('encoding'));
  const parents = headers.filter((line) => line.startsWith('parent ')).map((line) => line.slice('parent '.length));
  return {
    commit,
    parents: parents.slice(0, maxParents),
    author: personOf(decode(Buffer.from(valueOf('author'), 'latin1'))),
    committer: personOf(decode(Buffer.from(valueOf('committer'), 'latin1'))),
    message: end < 0 ? '' : decode(content.subarray(end + 2)).replace(/\n+$/, ''),
  };
}

/** Old commits may say that they are in another encoding than UTF-8. */
function decoderOf(encoding: string): (bytes: Uint8Array) => string {
  try {
    const decoder = new TextDecoder(encoding || 'utf-8');
    return (bytes) => decoder.decode(bytes);
  } catch {
    return (bytes) => Buffer.from(bytes).toString('utf8');
  }
}

function personOf(line: string): CommitPerson {
  const [, name = '', email = '', seconds = '0'] = /^(.*?) ?<(.*?)> ?(-?\d+)?/s.exec(line) ?? [];
  return { name: name.trim(), email, date: rfc3339(secondsOf(seconds)) };
}
