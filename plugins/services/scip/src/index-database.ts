import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { messageOf } from '@sextant/core';
import Sqlite from 'better-sqlite3';
import { isLocal, symbolHash } from './scip-format.ts';
import type { ColumnUnit, Occurrence, ScipDocument } from './scip-format.ts';

/** Grows when the tables change. A file of another version is not read: the index has to be uploaded again. */
const version = 2;

/**
 * An index is one SQLite file, so that it is stored and removed as a whole.
 *
 * - `documents.content`: the document as `StoredDocument`, deflated JSON. One blob takes a fifth of the space of one row per occurrence.
 * - `postings`: which documents have a symbol. The key is `symbolHash`; symbols with the same hash are told apart by reading the document.
 */
const schema = `
  create table label (repo text, commit_id text, root text, indexer text);
  create table documents (id integer primary key, path text not null, content blob not null);
  create table postings (hash integer, document integer, is_definition integer, primary key (hash, document)) without rowid;
  pragma user_version = ${version};
`;

/** `occurrences` has five numbers for each: line, start, end, index in `symbols`, and 1 for a definition or else 0. */
interface StoredDocument {
  readonly unit: ColumnUnit;
  readonly symbols: readonly string[];
  readonly occurrences: readonly number[];
}

const numbersPerOccurrence = 5;
/** KiB of pages in memory while an index is written. Postings come in random order, so they need many pages. */
const writeCacheKiB = 65_536;

export interface IndexLabel {
  readonly repo: string;
  readonly commit: string;
  readonly root: string;
  readonly indexer: string;
}

/** Writes an index document by document into a new file. Nobody reads the file before `finish`, so it needs no journal. */
export class IndexWriter {
  readonly #path: string;
  readonly #db: Sqlite.Database;
  readonly #addDocument: Sqlite.Statement<[path: string, content: Buffer]>;
  readonly #addPosting: Sqlite.Statement<[hash: number, document: number | bigint, isDefinition: number]>;
  documents = 0;
  occurrences = 0;

  constructor(path: string) {
    this.#path = path;
    this.#db = new Sqlite(path);
    for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', `cache_size = -${writeCacheKiB}`])
      this.#db.pragma(pragma);
    this.#db.exec(`${schema} begin`);
    this.#addDocument = this.#db.prepare('insert into documents (path, content) values (?, ?)');
    this.#addPosting = this.#db.prepare(
      'insert into postings values (?, ?, ?) on conflict do update set is_definition = max(is_definition, excluded.is_definition)',
    );
  }

  add({ path, unit, occurrences }: ScipDocument): void {
    const numbers = new Map<string, number>();
    const defined = new Set<string>();
    const flat: number[] = [];
    for (const { line, start, end, symbol, isDefinition } of occurrences) {
      const number = numbers.get(symbol) ?? numbers.size;
      numbers.set(symbol, number);
      if (isDefinition) defined.add(symbol);
      flat.push(line, start, end, number, Number(isDefinition));
    }
    const symbols = [...numbers.keys()];
    const stored: StoredDocument = { unit, symbols, occurrences: flat };
    const { lastInsertRowid } = this.#addDocument.run(path, deflateRawSync(JSON.stringify(stored), { level: 3 }));
    for (const symbol of symbols)
      if (!isLocal(symbol)) this.#addPosting.run(symbolHash(symbol), lastInsertRowid, Number(defined.has(symbol)));
    this.documents += 1;
    this.occurrences += occurrences.length;
  }

  /** Writes what is left, and waits until the file is on disk. */
  async finish({ repo, commit, root, indexer }: IndexLabel): Promise<void> {
    this.#db.prepare('insert into label values (?, ?, ?, ?)').run(repo, commit, root, indexer);
    this.#db.exec('commit; create index documents_by_path on documents (path)');
    this.close();
    const file = await open(this.#path, 'r');
    await file.sync().finally(() => file.close());
  }

  close(): void {
    this.#db.close();
  }
}

const noDocument: ScipDocument = { path: '', unit: 'utf-16', occurrences: [] };

/** An index on disk, open for reading. Damaged parts are reported to `onDamage`, and count as missing. */
export class IndexDatabase {
  readonly #db: Sqlite.Database;
  readonly #onDamage: (reason: string) => void;
  readonly #idOf: Sqlite.Statement<[path: string], number | null>;
  readonly #document: Sqlite.Statement<[id: number], { path: string; content: Buffer }>;
  readonly #having: Sqlite.Statement<[hash: number], { document: number; isDefinition: number }>;

  /** Throws for a file that is damaged, was never finished, or is of another version. */
  constructor(path: string, onDamage: (reason: string) => void) {
    this.#onDamage = onDamage;
    const { size } = statSync(path);
    this.#db = new Sqlite(path, { readonly: true, fileMustExist: true });
    try {
      this.#assertWhole(size);
      this.#idOf = this.#db.prepare<[string], number | null>('select max(id) from documents where path = ?').pluck();
      this.#document = this.#db.prepare('select path, content from documents where id = ?');
      this.#having = this.#db.prepare(
        'select document, is_definition as isDefinition from postings where hash = ? order by document',
      );
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  /** The id of the document of a file. If there are several, the last one. */
  documentOf(path: string): number | undefined {
    return this.#read(undefined, () => this.#idOf.get(path) ?? undefined);
  }

  document(id: number): ScipDocument {
    return this.#read(noDocument, () => {
      const row = this.#document.get(id);
      if (!row) throw new Error(`there is no document ${id}`);
      const { unit, symbols, occurrences }: StoredDocument = JSON.parse(inflateRawSync(row.content).toString());
      const found: Occurrence[] = [];
      // A large file has half a million, so no array is made for each.
      for (let at = 0; at < occurrences.length; at += numbersPerOccurrence) {
        const [line, start, end] = [occurrences[at] ?? 0, occurrences[at + 1] ?? 0, occurrences[at + 2] ?? 0];
        const symbol = symbols[occurrences[at + 3] ?? 0] ?? '';
        found.push({ line, start, end, symbol, isDefinition: occurrences[at + 4] === 1 });
      }
      return { path: row.path, unit, occurrences: found };
    });
  }

  /** The documents that have a symbol, or one of the same hash. */
  having(symbol: string): { document: number; isDefinition: boolean }[] {
    const rows = this.#read([], () => this.#having.all(symbolHash(symbol)));
    return rows.map(({ document, isDefinition }) => ({ document, isDefinition: isDefinition === 1 }));
  }

  close(): void {
    this.#db.close();
  }

  #assertWhole(size: number): void {
    const numberOf = (pragma: string): unknown => this.#db.pragma(pragma, { simple: true });
    if (numberOf('user_version') !== version) throw new Error('it was never finished, or is of another version');
    if (size !== Number(numberOf('page_count')) * Number(numberOf('page_size'))) throw new Error('its end is missing');
  }

  #read<T>(otherwise: T, read: () => T): T {
    try {
      return read();
    } catch (error) {
      this.#onDamage(messageOf(error));
      return otherwise;
    }
  }
}
