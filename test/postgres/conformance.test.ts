import { databaseConformance } from '@sextant/contracts/testing';
import { silentLogger } from '@sextant/core';
import { postgresSettings } from '@sextant/service-postgres/testing';
import { describe, it } from 'vitest';
import { PostgresDatabase } from '../../plugins/services/postgres/src/postgres-database.ts';
import { SecretRows } from '../../plugins/services/postgres/src/secret-rows.ts';

const server = process.env['SEXTANT_TEST_POSTGRES'] ?? '';

describe('service-postgres conforms to Database', () => {
  it.each(databaseConformance.map((each, at) => ({ ...each, at })))('$name', async ({ run, at }) => {
    const { url, secretKey } = await postgresSettings(server, `conformance_${at}`);
    await run(async () => {
      const database = await PostgresDatabase.connect({ url, connections: 4, log: silentLogger });
      const secrets = new SecretRows(database.direct, secretKey);
      return { database, secrets, [Symbol.asyncDispose]: () => database.close() };
    });
  });
});
