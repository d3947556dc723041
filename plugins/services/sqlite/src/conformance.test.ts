import { join } from 'node:path';
import { databaseConformance, temporaryFolder } from '@sextant/contracts/testing';
import { describe, it } from 'vitest';
import { connect } from './connection.ts';
import { SecretFiles } from './secret-files.ts';
import { SqliteDatabase } from './sqlite-database.ts';

describe('service-sqlite conforms to Database', () => {
  it.each(databaseConformance)('$name', async ({ run }) => {
    using folder = temporaryFolder();
    await run(async () => {
      const database = new SqliteDatabase(await connect(join(folder.path, 'sextant.db'), 0), 0);
      return { database, secrets: new SecretFiles(folder.path), [Symbol.asyncDispose]: () => database.close() };
    });
  });
});
