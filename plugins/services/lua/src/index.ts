import { Database, Evaluator, History, Search } from '@sextant/contracts';
import { Toolbox, definePlugin, hourly } from '@sextant/core';
import { config } from './config.ts';
import { FileStore } from './files/file-store.ts';
import { filePage } from './files/page.ts';
import { migrations } from './files/tables.ts';
import type { FileTables } from './files/tables.ts';
import { Functions } from './functions/functions.ts';
import { LuaEvaluator } from './lua-evaluator.ts';
import { ThreadPool } from './threads/thread-pool.ts';
import { compileLua } from './vm/lua-wasm.ts';

export default definePlugin({
  name: 'service-lua',
  config,
  needs: { database: Database, search: Search, history: History, toolbox: Toolbox },
  provides: { evaluator: Evaluator },
  pages: [filePage],
  async start(limits, { database, search, history, toolbox }, { externalURL, log }) {
    const db = await database.open<FileTables>({ name: 'evaluator', migrations, isLog: true });
    const files = new FileStore({ db, bytesPerUser: limits.storedBytesPerUser });
    const { threads, megabytes, outputBytes } = limits;
    const pool = new ThreadPool({ lua: compileLua(), threads, maxBytes: megabytes << 20, outputBytes });
    const functions = new Functions({ search, history, toolbox, most: limits.matchesPerSearch });
    const sweep = hourly(() => files.sweep(), { log, failure: 'old files were not removed' });
    return {
      evaluator: {
        value: new LuaEvaluator({ pool, functions, files, limits, externalURL }),
        ready: async () => pool.warmUp(),
        status: () => ({ isReady: true, detail: pool.load }),
        close: async () => {
          await Promise.all([pool.close(), sweep.close()]);
        },
      },
    };
  },
});
