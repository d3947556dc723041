import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@sextant/core';
import type { DataFilePart, Logger } from '@sextant/core';
import Sqlite from 'better-sqlite3';
import { PackedSymbols } from '../parse/packed-symbols.ts';
import type { Key } from './file-key.ts';

/** Grows when the tables change. What another version wrote is parsed again. */
const version = 1;
const fileName = 'symbols.db';
const oldFile = /\.(keys|values|names)$/;

/**
 * - `files`: the packed symbols of a content under its key, with their size in bytes.
 * - `names`: an inverted index of the names of each file, by `files.id`. Its terms are `d` and `u` (defined, used) before a hash of the
 *   name, as FTS5 folds the case of words.
 */
const schema = `
  create table files (id integer primary key, key text not null, bytes integer not null, packed blob not null);
  create unique index files_by_key on files (key, bytes);
  create virtual table names using fts5(terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');
  pragma user_version = ${version};
`;

/** Files of one transaction, which blocks the event loop. A file waits for at most `flushMs` until it is written. */
const filesPerTransaction = 64;
const flushMs = 500;
/** Most files that wait while another process writes. */
const mostPending = 4096;
/** Milliseconds that a statement waits for another process, while the file is opened and afterwards. */
const openBusyMs = 5000;
const busyMs = 3;
/** Keys in one step of a search. */
const keysPerStep = 1000;

/** Whether a file defines a name or uses it. */
export type NameRole = 'definition' | 'use';

export interface SymbolStoreOptions {
  readonly folder: string;
  /** Most bytes of packed symbols; at a start the oldest go first. */
  readonly maxBytes: number;
  readonly log: Logger;
}

interface PendingFile {
  readonly packed: Uint8Array;
  readonly terms: ReadonlySet<string>;
}

/**
 * What files define and use, kept across restarts under the id of their content, in one SQLite file. Several processes may use it
 * at once; each sees what others wrote after its own start. Everything in it can be parsed again, so no failure of the disk is an error.
 */
export class SymbolStore {
  readonly #options: SymbolStoreOptions;
  readonly #db: Sqlite.Database;
  readonly #packedOf: Sqlite.Statement<[id: number], Buffer>;
  /** In memory, because they are asked for every file of a commit. */
  readonly #ids = new Map<Key, number>();
  readonly #keys: Key[] = [];
  /** Files that are not written yet. */
  readonly #pending = new Map<Key, PendingFile>();
  #flushing: NodeJS.Timeout | undefined;
  #bytes = 0;
  #isFull = false;
  #isDamaged = false;

  constructor(options: SymbolStoreOptions) {
    this.#options = options;
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    this.#db = this.#openOrReplace();
    this.#packedOf = this.#db.prepare<[number], Buffer>('select packed from files where id = ?').pluck();
  }

  get count(): number {
    return this.#ids.size + this.#pending.size;
  }

  has(key: Key): boolean {
    return this.#ids.has(key) || this.#pending.has(key);
  }

  get(key: Key): Uint8Array | undefined {
    const id = this.#ids.get(key);
    if (id === undefined) return this.#pending.get(key)?.packed;
    try {
      return this.#packedOf.get(id);
    } catch (error) {
      this.#damaged(error);
      return undefined;
    }
  }

  /** The keys of the files that have a name, or another one with the same hash. They come in steps, each once. */
  *having(name: string, role: NameRole): Generator<Key[], void, void> {
    const term = termOf(name, role);
    const pending = [...this.#pending].flatMap(([key, { terms }]) => (terms.has(term) ? [key] : []));
    try {
      if (!this.#db.memory) yield* this.#written(term);
    } catch (error) {
      this.#damaged(error);
    }
    yield pending;
  }

  /**
   * FTS5 cannot seek to a row, so all steps are of one statement. It has a connection of its own, as a connection cannot write while
   * a statement reads. What is written later, it does not see.
   */
  *#written(term: string): Generator<Key[], void, void> {
    const reader = new Sqlite(this.#db.name, { readonly: true, timeout: openBusyMs });
    try {
      const select = reader.prepare<[string], number>('select rowid from names where names match ?').pluck();
      let step: Key[] = [];
      for (const id of select.iterate(`"${term}"`)) {
        const key = this.#keys[id];
        if (key !== undefined) step.push(key);
        if (step.length < keysPerStep) continue;
        yield step;
        step = [];
      }
      yield step;
    } finally {
      reader.close();
    }
  }

  /** Does nothing once the disk, or what may be used of it, is full. */
  add(key: Key, packed: Uint8Array): void {
    if (this.#isFull || this.has(key)) return;
    if (this.#bytes + packed.length > this.#options.maxBytes)
      return this.#stopAdding(`more than ${this.#options.maxBytes} bytes`);
    this.#pending.set(key, { packed, terms: termsOf(packed) });
    this.#bytes += packed.length;
    if (this.#pending.size >= filesPerTransaction) this.#flush();
    else this.#flushing ??= setTimeout(() => this.#flush(), flushMs);
  }

  close(): void {
    this.#flush();
    clearTimeout(this.#flushing);
    this.#db.close();
    // The next start makes it anew.
    if (this.#isDamaged) this.#remove();
  }

  /** A damaged file is replaced. If there can be no file, as on a full disk, nothing is kept. */
  #openOrReplace(): Sqlite.Database {
    const { folder, log } = this.#options;
    // Older versions had other files.
    for (const file of readdirSync(folder)) if (oldFile.test(file)) rmSync(join(folder, file), { force: true });
    const path = join(folder, fileName);
    try {
      return this.#open(path);
    } catch (error) {
      const reason = messageOf(error);
      if (error instanceof OtherVersion)
        log.info({ reason }, 'kept symbols are of another version; files are parsed again');
      else log.warn({ reason }, 'kept symbols cannot be read; files are parsed again');
      if (isDamage(error)) {
        this.#remove();
        return this.#open(path);
      }
      this.#isFull = true;
      return this.#open(':memory:');
    }
  }

  #open(path: string): Sqlite.Database {
    const db = new Sqlite(path, { timeout: openBusyMs });
    try {
      db.pragma('auto_vacuum = incremental');
      db.pragma('journal_mode = WAL');
      // A power failure may damage the file. Then it is replaced.
      db.pragma('synchronous = OFF');
      db.transaction(() => makeTables(db)).immediate();
      this.#load(db);
      db.pragma(`busy_timeout = ${busyMs}`);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** Reads all keys, and removes the oldest files while there are more bytes than may be kept. */
  #load(db: Sqlite.Database): void {
    const select = db.prepare<[], { id: number; key: Key; bytes: number }>('select id, key, bytes from files');
    const rows = select.all().sort((a, b) => a.id - b.id);
    this.#bytes = rows.reduce((sum, { bytes }) => sum + bytes, 0);
    let oldest = 0;
    for (const { id, key, bytes } of rows) {
      if (this.#bytes > this.#options.maxBytes) {
        this.#bytes -= bytes;
        oldest = id;
      } else this.#know(key, id);
    }
    if (oldest === 0) return;
    db.prepare('delete from files where id <= ?').run(oldest);
    db.prepare('delete from names where rowid <= ?').run(oldest);
    db.pragma('incremental_vacuum');
  }

  #know(key: Key, id: number): void {
    this.#ids.set(key, id);
    this.#keys[id] = key;
  }

  #flush(): void {
    clearTimeout(this.#flushing);
    this.#flushing = undefined;
    if (this.#pending.size === 0 || this.#isFull) return;
    try {
      for (const [key, id] of this.#db.transaction(() => this.#writePending()).immediate()) this.#know(key, id);
      this.#pending.clear();
    } catch (error) {
      if (!isBusy(error) || this.#pending.size >= mostPending) this.#stopAdding(messageOf(error));
      else this.#flushing = setTimeout(() => this.#flush(), flushMs);
    }
  }

  /** Returns the ids of the pending files. Another process may have written some of them meanwhile. */
  #writePending(): [Key, number][] {
    const addFile = this.#db.prepare('insert or ignore into files (key, bytes, packed) values (?, ?, ?)');
    const addNames = this.#db.prepare('insert into names (rowid, terms) values (?, ?)');
    const idOf = this.#db.prepare<[Key], number>('select id from files where key = ?').pluck();
    return [...this.#pending].map(([key, { packed, terms }]) => {
      const { changes, lastInsertRowid } = addFile.run(key, packed.length, packed);
      const id = changes > 0 ? Number(lastInsertRowid) : (idOf.get(key) ?? 0);
      if (changes > 0 && terms.size > 0) addNames.run(id, [...terms].join(' '));
      return [key, id];
    });
  }

  #stopAdding(reason: string): void {
    this.#isFull = true;
    this.#options.log.warn({ reason }, 'symbols of further files are not kept across restarts');
  }

  #damaged(error: unknown): void {
    if (!this.#isDamaged)
      this.#options.log.warn({ reason: messageOf(error) }, 'kept symbols cannot be read; files are parsed again');
    this.#isDamaged = true;
  }

  #remove(): void {
    for (const ending of ['', '-wal', '-shm'])
      rmSync(join(this.#options.folder, fileName + ending), { recursive: true, force: true });
  }
}

/** Compares what is kept in a folder with its checksums, some files at a time. */
export function* inspectSymbols(folder: string): Generator<DataFilePart> {
  const path = join(folder, fileName);
  if (!existsSync(path)) return;
  const { size } = statSync(path);
  const db = new Sqlite(path, { readonly: true, timeout: openBusyMs });
  try {
    const found = db.pragma('user_version', { simple: true });
    if (found !== version && found !== 0) throw otherVersion(found);
    if (found !== 0) yield* inspectFiles(db);
  } catch (error) {
    const problem = { isOfOtherVersion: error instanceof OtherVersion, reason: messageOf(error) };
    yield { name: fileName, bytes: size, problem };
  } finally {
    db.close();
  }
}

/** Throws where SQLite finds damage. */
function* inspectFiles(db: Sqlite.Database): Generator<DataFilePart> {
  const select = db.prepare<[number], { id: number; packed: Buffer }>(
    `select id, packed from files where id > ? order by id limit ${keysPerStep}`,
  );
  for (let rows = select.all(-1); rows.length > 0; rows = select.all(rows.at(-1)?.id ?? 0)) {
    const damaged = rows.filter(({ packed }) => !isWhole(packed));
    const bytes = rows.reduce((sum, { packed }) => sum + packed.length, 0);
    const problem = { isOfOtherVersion: false, reason: `the symbols of ${damaged.length} files cannot be unpacked` };
    yield { name: fileName, bytes, ...(damaged.length > 0 && { problem }) };
  }
  const names = db.prepare<[], Buffer>('select block from names_data').pluck();
  let bytes = 0;
  for (const block of names.iterate()) bytes += block.length;
  yield { name: fileName, bytes };
}

function isWhole(packed: Uint8Array): boolean {
  try {
    if (packed.length > 0) void new PackedSymbols(packed);
    return true;
  } catch {
    return false;
  }
}

class OtherVersion extends Error {}

/** Two processes may start at once. */
function makeTables(db: Sqlite.Database): void {
  const found = db.pragma('user_version', { simple: true });
  if (found === 0) db.exec(schema);
  else if (found !== version) throw otherVersion(found);
}

const otherVersion = (found: unknown): OtherVersion =>
  new OtherVersion(`they have version ${String(found)}, this program reads version ${version}`);

const isDamage = (error: unknown): boolean =>
  error instanceof OtherVersion ||
  (error instanceof Sqlite.SqliteError && /^SQLITE_(NOTADB|CORRUPT|ERROR)/.test(error.code));

const isBusy = (error: unknown): boolean => error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');

/** The words of the name of a module or package, or of a path to one. */
export const wordsOf = (module: string): readonly string[] => module.match(/[\p{L}\p{N}_$-]+/gu) ?? [];

const termOf = (name: string, role: NameRole): string => (role === 'definition' ? 'd' : 'u') + hashOf(name);

/** FNV-1a with 32 bits (draft-eastlake-fnv). Two names may have the same. */
function hashOf(name: string): string {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < name.length; index += 1) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01_00_01_93);
  return (hash >>> 0).toString(36);
}

/**
 * The names that a file shows to others, and those that it uses. Words of the modules that it imports count as uses: a
 * file that imports `./button` may use a name that it does not spell out. Empty for a damaged entry, which is parsed
 * again when it is read.
 */
function termsOf(packed: Uint8Array): ReadonlySet<string> {
  const terms = new Set<string>();
  if (packed.length === 0) return terms;
  try {
    const symbols = new PackedSymbols(packed);
    for (const { name, isDefined, isUsed } of symbols.roles()) {
      if (isDefined) terms.add(termOf(name, 'definition'));
      if (isUsed) terms.add(termOf(name, 'use'));
    }
    for (const { module } of symbols.imports) for (const word of wordsOf(module)) terms.add(termOf(word, 'use'));
    return terms;
  } catch {
    return new Set();
  }
}
