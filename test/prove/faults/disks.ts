import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, statfsSync } from 'node:fs';
import type { Fault } from './lab.ts';

const full = /disk.* full|no space left/i;
const readOnly = /read-only|cannot be written/i;

/** Takes what is free on a disk. */
const fill = (file: string): void =>
  void spawnSync('dd', ['if=/dev/zero', `of=${file}`, 'bs=64k'], { stdio: 'ignore' });

/** An account that may read the program and nothing else. */
const nobody = 'set -- setpriv --reuid=65534 --regid=65534 --clear-groups "$@"';

export const disks: readonly Fault[] = [
  {
    name: 'disk full while a repository is indexed',
    cause: full,
    async make(lab) {
      lab.repository(16 * 1024);
      lab.disk('size=8m');
      lab.configure();
      return lab.start();
    },
  },
  {
    name: 'disk full while a repository is cloned',
    cause: full,
    async make(lab) {
      const { folder } = lab.repository(16 * 1024);
      lab.disk('size=6m');
      lab.configure({ repositories: [{ url: `file://${folder}`, name: 'shop' }] });
      const server = await lab.start();
      server.asks = () => server.call('read_file', { repo: 'shop', path: 'a.ts' });
      return server;
    },
  },
  {
    name: 'disk full for the database',
    cause: full,
    async make(lab) {
      lab.repository();
      const data = lab.disk('size=64m');
      lab.configure();
      const server = await lab.start();
      await server.untilReady();
      fill(`${data}/filler`);
      server.asks = () => server.call('deepsearch', { question: 'Where is the needle?' });
      return server;
    },
  },
  {
    name: 'no inode left on the disk',
    cause: full,
    async make(lab) {
      lab.repository(1024);
      const data = lab.disk('size=64m,nr_inodes=40');
      lab.configure();
      for (let at = 0; statfsSync(data).ffree > 14; at += 1) mkdirSync(`${data}/${at}`);
      return lab.start();
    },
  },
  {
    name: 'disk read-only at the start',
    cause: readOnly,
    async make(lab) {
      lab.repository();
      const data = lab.disk('size=64m');
      execFileSync('mount', ['-o', 'remount,ro', data]);
      lab.configure();
      return lab.refusal();
    },
  },
  {
    name: 'disk read-only while the server runs',
    cause: readOnly,
    async make(lab) {
      const shop = lab.repository();
      lab.configure();
      const fail = lab.failingDisk();
      const server = await lab.start();
      await server.untilReady();
      fail();
      shop.commit({ files: { 'b.ts': 'export const thread = 2;\n' } });
      server.asks = () => server.call('keyword_search', { query: 'thread' });
      return server;
    },
  },
  {
    name: 'data folder of another account',
    cause: /no permission|cannot be read and written/,
    async make(lab) {
      lab.repository();
      mkdirSync(lab.path('data'), { mode: 0o700 });
      chownSync(lab.path('data'), 1, 1);
      lab.configure();
      return lab.refusal(nobody);
    },
  },
  {
    name: 'files may not be as large as an index',
    cause: /may not be as large as it must|file too large/,
    async make(lab) {
      lab.repository(24 * 1024);
      lab.configure();
      // Of 512 bytes.
      return lab.start({ limits: 'trap "" XFSZ; ulimit -f 16384' });
    },
  },
];
