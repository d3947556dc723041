import { existsSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Fault, Lab, Served } from './lab.ts';
import { until } from './lab.ts';

/** Damages the middle of each file with one of these endings. */
function damage(folder: string, endings: RegExp): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && endings.test(each.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  if (files.length === 0) throw new Error(`no file ${String(endings)} in ${folder}`);
  for (const file of files) {
    const bytes = readFileSync(file);
    bytes.fill(0xa5, bytes.length >> 2);
    rmSync(file);
    writeFileSync(file, bytes);
  }
}

/** A server that made its indexes, was stopped, and found them damaged when it came again. */
async function withDamagedIndex(lab: Lab, index: string, endings: RegExp): Promise<Served> {
  const shop = lab.repository(256);
  shop.commit({ files: { 'b.ts': 'export function sew() {}\n' } });
  lab.configure();
  const before = await lab.start();
  await before.untilReady();
  await before.call('find_references', { repo: 'shop', symbol: 'sew' });
  await before.call('commit_search', { repos: ['shop'] });
  await until(async () => existsSync(lab.path('data', index)));
  await before.started.stop();
  damage(lab.path('data', index), endings);
  return lab.start(undefined, before.token);
}

export const files: readonly Fault[] = [
  {
    name: 'pack of a repository damaged',
    cause: /damaged/,
    async make(lab) {
      const shop = lab.repository(64);
      shop.git('repack', '-adq');
      damage(join(shop.folder, 'objects', 'pack'), /\.pack$/);
      lab.configure();
      const server = await lab.start();
      server.asks = () => server.call('read_file', { repo: 'shop', path: 'a.ts' });
      return server;
    },
  },
  {
    name: 'object of a repository missing',
    cause: /lacks|missing|damaged/,
    async make(lab) {
      const shop = lab.repository();
      const object = shop.git('rev-parse', 'HEAD:a.ts');
      rmSync(join(shop.folder, 'objects', object.slice(0, 2), object.slice(2)));
      lab.configure();
      const server = await lab.start();
      server.asks = () => server.call('read_file', { repo: 'shop', path: 'a.ts' });
      return server;
    },
  },
  {
    name: 'HEAD of a repository empty after a crash',
    cause: /HEAD/,
    // Callers are not told which file.
    instead: { answer: /its files on the server are not in order/ },
    async make(lab) {
      const shop = lab.repository();
      truncateSync(join(shop.folder, 'HEAD'));
      lab.configure();
      return lab.start();
    },
  },
  {
    name: 'repository moved away while it is served',
    cause: /no longer (where it was|served)/,
    async make(lab) {
      const { folder } = lab.repository();
      lab.configure({ repositories: [{ path: folder }] });
      const server = await lab.start();
      await server.untilReady();
      renameSync(folder, `${folder}.away`);
      server.asks = () => server.call('read_file', { repo: 'shop', path: 'a.ts' });
      return server;
    },
  },
  {
    name: 'search index damaged',
    cause: /damaged/,
    instead: { answer: /needle = 1/ },
    make: (lab) => withDamagedIndex(lab, 'search-index', /\.(shard|text|table)$/),
  },
  {
    name: 'index of history damaged',
    cause: /damaged/,
    instead: { answer: /commit/ },
    async make(lab) {
      const server = await withDamagedIndex(lab, 'history-index', /./);
      server.asks = () => server.call('commit_search', { repos: ['shop'] });
      return server;
    },
  },
  {
    name: 'index of symbols damaged',
    cause: /cannot be read; files are parsed again/,
    instead: { answer: /b\.ts/ },
    async make(lab) {
      const server = await withDamagedIndex(lab, 'symbols', /./);
      server.asks = () => server.call('keyword_search', { query: 'type:symbol sew' });
      return server;
    },
  },
  {
    name: 'database damaged at the start',
    cause: /sextant\.db.*damaged/,
    async make(lab) {
      lab.repository();
      lab.configure();
      const before = await lab.start();
      await before.started.stop();
      damage(lab.path('data'), /^sextant\.db$/);
      writeFileSync(lab.path('data', 'sextant.db'), 'no database at all. '.repeat(1000));
      return lab.refusal();
    },
  },
  {
    name: 'database damaged while the server runs',
    cause: /damaged/,
    async make(lab) {
      lab.repository();
      lab.configure();
      const server = await lab.start();
      await server.untilReady();
      const file = lab.path('data', 'sextant.db');
      const other = new DatabaseSync(file);
      other.exec('pragma wal_checkpoint(TRUNCATE)');
      other.close();
      const bytes = readFileSync(file);
      writeFileSync(file, Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0xa5)]));
      server.asks = () => server.call('deepsearch', { question: 'Where is the needle?' });
      return server;
    },
  },
  {
    name: 'database held by another program',
    cause: /another program is writing/,
    async make(lab) {
      lab.repository();
      lab.configure();
      const server = await lab.start();
      await server.untilReady();
      const other = new DatabaseSync(lab.path('data', 'sextant.db'));
      other.exec('begin immediate');
      lab.whenOver(() => other.close());
      server.asks = () => server.call('deepsearch', { question: 'Where is the needle?' });
      return server;
    },
  },
  {
    name: 'database of a newer program',
    cause: /newer/,
    async make(lab) {
      lab.repository();
      lab.configure();
      const before = await lab.start();
      await before.started.stop();
      const other = new DatabaseSync(lab.path('data', 'sextant.db'));
      const [table] = other
        .prepare("select name from sqlite_master where name like '%migration%' order by name")
        .all() as {
        name: string;
      }[];
      other.prepare(`insert into "${table?.name}" (name, timestamp) values ('9999-from-the-future', '2030')`).run();
      other.close();
      return lab.refusal('', ['upgrade', '--check']);
    },
  },
  {
    name: 'keys of sign-in damaged',
    cause: /oauth-keys\.json/,
    async make(lab) {
      lab.repository();
      lab.configure();
      const before = await lab.start();
      await before.started.stop();
      writeFileSync(lab.path('data', 'oauth-keys.json'), '{"keys": [');
      return lab.refusal();
    },
  },
  {
    name: 'configuration broken while the server runs',
    cause: /configuration file .*not in force|repositores/,
    instead: { answer: /needle = 1/ },
    async make(lab) {
      lab.repository();
      lab.configure();
      const server = await lab.start();
      await server.untilReady();
      lab.configure({ repositores: [] });
      return server;
    },
  },
];
