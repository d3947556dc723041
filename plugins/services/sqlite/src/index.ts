import { join } from 'node:path';
import { Database, Secrets } from '@sextant/contracts';
import { definePlugin } from '@sextant/core';
import { z } from 'zod';
import { connect, copyDatabase, diagnoseFile } from './connection.ts';
import { SecretFiles, diagnoseSecrets } from './secret-files.ts';
import { SqliteDatabase } from './sqlite-database.ts';

const file = 'sextant.db';

export default definePlugin({
  name: 'service-sqlite',
  config: z.object({
    busySeconds: z
      .number()
      .min(0)
      .max(60)
      .default(5)
      .describe('Longest time that a statement waits while another process writes'),
  }),
  provides: { database: Database, secrets: Secrets },
  // The files beside it belong to its journal, which the copy does not need.
  dataFiles: [
    { path: file, copy: copyDatabase },
    { path: `${file}-wal`, isRebuilt: true },
    { path: `${file}-shm`, isRebuilt: true },
  ],
  diagnose: async (_config, { dataFolder }) => [
    diagnoseFile(join(dataFolder, file)),
    ...(await diagnoseSecrets(dataFolder)),
  ],
  async start({ busySeconds }, _services, { dataFolder, log }) {
    const busyMs = busySeconds * 1000;
    const database = new SqliteDatabase(await connect(join(dataFolder, file), busyMs), busyMs, log);
    return {
      database: { value: database, status: () => database.status(), close: () => database.close() },
      secrets: { value: new SecretFiles(dataFolder) },
    };
  },
});
