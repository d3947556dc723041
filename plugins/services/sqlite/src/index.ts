import { join } from 'node:path';
import { Database } from '@sextant/contracts';
import { definePlugin } from '@sextant/core';
import { SqliteDatabase } from './sqlite-database.ts';

export default definePlugin({
  name: 'service-sqlite',
  provides: { database: Database },
  async start(_config, _services, { dataFolder }) {
    const database = new SqliteDatabase(join(dataFolder, 'sextant.db'));
    return { database: { value: database, close: () => database.close() } };
  },
});
