import type { Audit, AuditEvent, Database } from '@sextant/contracts';
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { z } from 'zod';
import type { DirectoryConfig } from './config.ts';

interface ConfigurationTables {
  directory_configured: {
    id: number;
    /** JSON: what was in force when this was last looked at. */
    rights: string;
  };
}

const migrations: Readonly<Record<string, Migration>> = {
  '1-configured': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('directory_configured')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('rights', 'text', (column) => column.notNull())
        .execute();
    },
  },
};

const rights = z.record(z.string(), z.string());
/** `user alice` or `role team-shop`, to what it may do. */
type Rights = z.output<typeof rights>;

/** The table of what the configuration said last. */
export const openConfigurationRecord = (database: Database): Promise<Kysely<ConfigurationTables>> =>
  database.open<ConfigurationTables>({ name: 'directory_configured', migrations });

/** Records what an edit of the configuration file changes in who may do what; the file itself does not tell what stood there before. */
export async function recordConfiguration(
  db: Kysely<ConfigurationTables>,
  config: DirectoryConfig,
  audit: Audit,
): Promise<void> {
  const now = rightsOf(config);
  const row = await db.selectFrom('directory_configured').select('rights').executeTakeFirst();
  const before = row && rights.parse(JSON.parse(row.rights));
  const text = JSON.stringify(now);
  if (row?.rights === text) return;
  await db
    .insertInto('directory_configured')
    .values({ id: 1, rights: text })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ rights: text }))
    .execute();
  for (const event of changesBetween(before ?? {}, now)) audit.record(event);
}

const rightsOf = ({ users, roles }: DirectoryConfig): Rights => ({
  ...Object.fromEntries(
    users.map(({ name, roles: given, siteAdmin }) => [
      `user ${name}`,
      [...(siteAdmin ? ['site administrator'] : []), ...given].join(', ') || 'no custom role',
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(roles).map(([name, { permissions }]) => [`role ${name}`, permissions.join(', ') || 'no permission']),
  ),
});

function changesBetween(before: Rights, now: Rights): AuditEvent[] {
  const changed = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((key) => before[key] !== now[key]);
  return changed.map((key) => ({
    action: key.startsWith('role ') ? 'role.changed' : 'roles.changed',
    outcome: 'success',
    target: key.slice(5),
    detail: `by the configuration: ${now[key] ?? 'not named there any more'}`,
  }));
}
