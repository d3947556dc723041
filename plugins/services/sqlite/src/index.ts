import { join } from 'node:path';
import { Database } from '@sextant/contracts';
import { definePlugin } from '@sextant/core';
import { z } from 'zod';
import { connect } from './connection.ts';
import { SqliteDatabase } from './sqlite-database.ts';

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
  provides: { database: Database },
  async start({ busySeconds }, _services, { dataFolder }) {
    const busyMs = busySeconds * 1000;
    const database = new SqliteDatabase(await connect(join(dataFolder, 'sextant.db'), busyMs), busyMs);
    return { database: { value: database, status: () => database.status(), close: () => database.close() } };
  },
});
