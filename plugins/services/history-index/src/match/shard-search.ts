import { search } from '@sextant/library-block-index';
import type { DiffSide } from '@sextant/contracts';
import { identityText } from '../git/commit-record.ts';
import type { Identity } from '../git/commit-record.ts';
import type { Clause } from '../request/wanted.ts';
import type { CommitPredicate } from './commit-predicate.ts';
import type { CommitShardReader } from '../shards/commit-shard-reader.ts';
import type { AcceptedPaths } from './accepted-paths.ts';
import { BitSet } from './bits.ts';
import type { TextIndexes, TextPart } from '../snapshot/text-indexes.ts';

/** What a search brings to each shard. */
export interface ShardQuery {
  readonly conditions: CommitPredicate;
  readonly messages: readonly Clause[];
  readonly paths: readonly Clause[];
  readonly content: Clause | undefined;
  readonly sides: readonly DiffSide[];
  readonly texts: TextIndexes;
  readonly acceptedPaths: AcceptedPaths;
  readonly mapped: (identity: Identity) => Identity;
  /** Throws to end the search. */
  readonly checkpoint: () => void;
}

/** A commit of a shard. */
export interface FoundCommit {
  readonly commit: number;
  /** Numbers of the paths that have a wanted line; undefined where lines do not matter. */
  readonly paths?: ReadonlySet<number>;
}

/** Looks for commits in one shard. */
export class CommitShardSearch {
  readonly #reader: CommitShardReader;
  readonly #query: ShardQuery;

  constructor(reader: CommitShardReader, query: ShardQuery) {
    this.#reader = reader;
    this.#query = query;
  }

  /** The commits of `reached` that are wanted, the newest first. Their changes can be read where they matter. */
  *commits(reached: Uint8Array): Generator<FoundCommit> {
    const { conditions, messages, content } = this.#query;
    let allowed = this.#allowed(reached);
    const [only] = messages;
    if (only && messages.length === 1 && !only.isNegated && !conditions.needsChanges) {
      for (const commit of this.#documents('messages', only, allowed)) yield { commit };
      return;
    }
    for (const clause of messages) allowed = this.#withMessage(clause, allowed);
    if (content) yield* this.#withContent(content, allowed);
    else yield* this.#withPath(allowed);
  }

  #allowed(reached: Uint8Array): BitSet {
    const { conditions } = this.#query;
    const { tables } = this.#reader;
    const people = this.#acceptedPeople();
    const allowed = new BitSet(this.#reader.commits);
    for (let commit = 0; commit < this.#reader.commits; commit++) {
      if (reached[commit] !== 1 || !conditions.isInWindow(tables.times[commit] ?? 0)) continue;
      if (people && !people.has(tables.authors[commit] ?? 0)) continue;
      if (conditions.needsChanges && (tables.isUnread[commit] !== 0 || this.#reader.isMerge(commit))) continue;
      allowed.add(commit);
    }
    return allowed;
  }

  #acceptedPeople(): BitSet | undefined {
    const { conditions, mapped } = this.#query;
    if (!conditions.looksAtAuthors) return undefined;
    const { people } = this.#reader.tables;
    const accepted = new BitSet(people.length);
    people.forEach((identity, number) => {
      if (conditions.acceptsAuthor([identity, mapped(identity)].map(identityText))) accepted.add(number);
    });
    return accepted;
  }

  #withMessage(clause: Clause, allowed: BitSet): BitSet {
    const found = new BitSet(this.#reader.commits);
    for (const commit of this.#documents('messages', clause, allowed)) found.add(commit);
    return clause.isNegated ? allowed.without(found) : found;
  }

  *#withPath(allowed: BitSet): Generator<FoundCommit> {
    const { conditions } = this.#query;
    const paths = this.#acceptedPaths();
    for (let commit = 0; commit < this.#reader.commits; commit++)
      if (allowed.has(commit) && (!conditions.needsChanges || this.#changesOneOf(paths, commit))) yield { commit };
  }

  #changesOneOf(paths: { has(path: number): boolean }, commit: number): boolean {
    const { fileStarts, files } = this.#reader.tables;
    const end = fileStarts[commit + 1] ?? 0;
    for (let file = fileStarts[commit] ?? 0; file < end; file++) if (paths.has(files[file] ?? 0)) return true;
    return false;
  }

  *#withContent(content: Clause, allowed: BitSet): Generator<FoundCommit> {
    const { sides } = this.#query;
    const { textCommit, textFile } = this.#reader.tables;
    const paths = this.#acceptedPaths();
    const isSideWanted = [sides.includes('removed'), sides.includes('added')];
    const texts = new BitSet(textCommit.length);
    for (let text = 0; text < textCommit.length; text++) {
      const file = textFile[text] ?? 0;
      if (allowed.has(textCommit[text] ?? 0) && isSideWanted[file & 1] && paths.has(file >>> 1)) texts.add(text);
    }
    let found: { commit: number; paths: Set<number> } | undefined;
    for (const text of this.#documents('lines', content, texts)) {
      const commit = textCommit[text] ?? 0;
      if (found && found.commit !== commit) yield found;
      if (found?.commit !== commit) found = { commit, paths: new Set() };
      found.paths.add((textFile[text] ?? 0) >>> 1);
    }
    if (found) yield found;
  }

  /** Numbers of paths; all where paths do not matter. */
  #acceptedPaths(): { has(path: number): boolean } {
    const { conditions, paths, acceptedPaths } = this.#query;
    return paths.length === 0 ? { has: () => true } : acceptedPaths.of(this.#reader, paths, conditions);
  }

  /** Numbers of the allowed documents that have a match, ascending. */
  *#documents(part: TextPart, { regex, foldCase }: Clause, allowed: BitSet): Generator<number> {
    if (allowed.isEmpty) return;
    const { texts, checkpoint } = this.#query;
    const place = texts.open(this.#reader, part);
    let last = -1;
    for (const matches of search(place, { regex, foldCase }, { documents: allowed.bytes, checkpoint, isEager: true }))
      for (const document of matches.documents()) {
        if (document > last) yield document;
        last = document;
      }
  }
}
