import { Database, Secrets } from '@sextant/contracts';
import { Announcements, Hosts, Rehearsals, contribute, definePlugin } from '@sextant/core';
import { z } from 'zod';
import { Heartbeats } from './heartbeats.ts';
import { migrate } from './migration/command.ts';
import { Migration, migration } from './migration/migration.ts';
import { PostgresDatabase } from './postgres-database.ts';
import { rehearse } from './rehearse.ts';
import { SecretRows } from './secret-rows.ts';

const address = z
  .string()
  .regex(/^postgres(ql)?:\/\/\S+$/, 'must be a URL such as postgres://sextant@db.example.com:5432/sextant');

const config = z.object({
  url: address.describe(
    'The database: postgres://USER@HOST:5432/NAME. Options of libpq follow: ?sslmode=verify-full&sslrootcert=FILE',
  ),
  directURL: address
    .optional()
    .describe('The same server without a pooler such as PgBouncer, where "url" names one in transaction mode'),
  password: z.string().optional().describe('The password, better as a reference: ${file:PATH} or ${env:NAME}'),
  secretKey: z
    .string()
    .min(32, 'must have at least 32 characters; make one with: openssl rand -base64 32')
    .describe('Encrypts the keys of sign-in in the database; the same on every host'),
  connections: z.int().min(4).max(100).default(10).describe('Most connections of this host to the server'),
});

export default definePlugin({
  name: 'service-postgres',
  config,
  provides: { database: Database, secrets: Secrets, announcements: Announcements, hosts: Hosts, migration },
  commands: [migrate],
  contributions: [contribute(Rehearsals, (settings) => rehearse(config.parse(settings)))],
  async start({ secretKey, ...settings }, _services, { log, dataFolder }) {
    const database = await PostgresDatabase.connect({ ...settings, log });
    const secrets = new SecretRows(database.direct, secretKey);
    const hosts = new Heartbeats({ connection: database.direct, log });
    return {
      database: {
        value: database,
        ready: () => database.use(),
        status: () => database.status(),
        close: async () => {
          await hosts.close();
          await database.close();
        },
      },
      secrets: { value: secrets },
      hosts: { value: hosts, ready: () => hosts.begin(), status: () => hosts.status() },
      migration: { value: new Migration({ pool: database.pool, secrets, dataFolder }) },
      announcements: { value: database.direct },
    };
  },
});
