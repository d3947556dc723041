import { execFileSync } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';

const largest = 1_000_000;
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** BM25 over the whole files of one commit at a time, as SQLite does it for nothing. */
export class WholeFiles {
  readonly #repository: string;
  readonly #database = new DatabaseSync(':memory:');
  #tree = emptyTree;

  constructor(repository: string) {
    this.#repository = repository;
    this.#database.exec("CREATE VIRTUAL TABLE files USING fts5(path, body, tokenize = 'porter unicode61')");
    this.#database.exec('CREATE TABLE numbers (path TEXT PRIMARY KEY, number INTEGER)');
  }

  /** Goes to another commit; only what differs is written. */
  moveTo(commit: string): void {
    const changes = this.#git('diff-tree', '-r', '-z', '--no-renames', '--raw', this.#tree, `${commit}^{tree}`);
    const fields = changes.toString().split('\0');
    this.#database.exec('BEGIN');
    const added: { path: string; blob: string }[] = [];
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [, mode = '', , blob = ''] = (fields[at] ?? '').split(' ');
      const path = fields[at + 1] ?? '';
      this.#remove(path);
      if (mode.startsWith('100')) added.push({ path, blob });
    }
    for (let from = 0; from < added.length; from += 500) this.#add(added.slice(from, from + 500));
    this.#database.exec('COMMIT');
    this.#tree = `${commit}^{tree}`;
  }

  /** The best paths for any of the words of a text. */
  rank(text: string, limit: number): string[] {
    const words = [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))].slice(0, 200);
    if (words.length === 0) return [];
    const select = this.#database.prepare('SELECT path FROM files WHERE files MATCH ? ORDER BY bm25(files) LIMIT ?');
    return select.all(words.map((word) => `"${word}"`).join(' OR '), limit).map(({ path }) => String(path));
  }

  close(): void {
    this.#database.close();
  }

  #remove(path: string): void {
    const known = this.#database.prepare('DELETE FROM numbers WHERE path = ? RETURNING number').get(path);
    if (known) this.#database.prepare('DELETE FROM files WHERE rowid = ?').run(Number(known['number']));
  }

  #add(files: readonly { path: string; blob: string }[]): void {
    const output = this.#git('cat-file', '--batch', { input: files.map(({ blob }) => `${blob}\n`).join('') });
    let at = 0;
    for (const { path } of files) {
      const end = output.indexOf(10, at);
      const size = Number(output.toString('latin1', at, end).split(' ')[2]);
      const bytes = output.subarray(end + 1, end + 1 + size);
      at = end + size + 2;
      if (size > largest || bytes.includes(0)) continue;
      const { lastInsertRowid } = this.#database.prepare('INSERT INTO files VALUES (?, ?)').run(path, bytes.toString());
      this.#database.prepare('INSERT INTO numbers VALUES (?, ?)').run(path, lastInsertRowid);
    }
  }

  #git(...given: (string | { input: string })[]): Buffer {
    const args = given.filter((each) => typeof each === 'string');
    const options = given.find((each) => typeof each !== 'string') ?? {};
    return execFileSync('git', ['-C', this.#repository, ...args], { maxBuffer: 1 << 30, ...options });
  }
}
