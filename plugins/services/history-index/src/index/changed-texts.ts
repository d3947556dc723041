import type { EndingSink } from '../git/commands.ts';
import type { CommitRecord } from '../git/commit-record.ts';
import { utf8Of } from '../git/text.ts';
import type { CommitTexts } from './protocol.ts';

/** Bytes of changed lines of one commit that are indexed; a larger commit is answered by git. */
const mostOfCommit = 16 << 20;
/** Bytes of one shard: searches wait while it is built. */
const mostOfShard = 16 << 20;
const newline = Buffer.from('\n');

/** The changed lines of commits, both sides, as UTF-8: what searches look at. */
export class ChangedTexts implements EndingSink {
  /** Commits that were begun. */
  seen = 0;
  readonly #hashes: string[] = [];
  readonly #ends: number[] = [];
  readonly #lines: Buffer[] = [];
  #bytes = 0;
  #open: { readonly hash: string; readonly lines: Buffer[]; bytes: number } | undefined;

  /** Whether it holds as much as a shard should. */
  get isDone(): boolean {
    return this.#bytes >= mostOfShard;
  }

  commit({ hash }: CommitRecord): void {
    this.#close();
    this.seen += 1;
    this.#open = { hash, lines: [], bytes: 0 };
  }

  path(): void {
    // Paths are not indexed.
  }

  hunk(): void {
    // Both sides of all hunks are one text.
  }

  line(line: Buffer): void {
    const open = this.#open;
    if (!open || open.bytes > mostOfCommit || (line[0] !== 43 && line[0] !== 45)) return;
    const content = Buffer.concat([utf8Of(line.subarray(1)), newline]);
    open.lines.push(content);
    open.bytes += content.length;
  }

  /** Git has ended: the last commit is whole. */
  end(): void {
    this.#close();
  }

  texts(): CommitTexts {
    return { hashes: this.#hashes, text: Buffer.concat(this.#lines), ends: this.#ends };
  }

  #close(): void {
    const open = this.#open;
    this.#open = undefined;
    if (!open || open.bytes > mostOfCommit || this.isDone) return;
    for (const line of open.lines) this.#lines.push(line);
    this.#bytes += open.bytes;
    this.#hashes.push(open.hash);
    this.#ends.push(this.#bytes);
  }
}
