import { Audit, Database, Directory } from '@sextant/contracts';
import { Principals, definePlugin, optional } from '@sextant/core';
import { commands } from './commands.ts';
import { config, unknownPermissions } from './config.ts';
import { openConfigurationRecord, recordConfiguration } from './configuration-record.ts';
import { RoleStore } from './role-store.ts';
import { migrations } from './tables.ts';
import type { DirectoryTables } from './tables.ts';
import { UserDirectory } from './user-directory.ts';
import { Users } from './users.ts';

export default definePlugin({
  name: 'service-directory',
  config,
  topLevel: ['users', 'roles'],
  needs: { database: Database, audit: optional(Audit) },
  provides: { directory: Directory, principals: Principals },
  commands,
  checkConfig: async ({ roles }, { permissions }) => unknownPermissions(roles, permissions),
  async start(settings, { database, audit }) {
    const tables = await database.open<DirectoryTables>({ name: 'directory', migrations });
    const users = await Users.open(tables, settings.users);
    const directory = new UserDirectory({ users, roles: new RoleStore(tables, settings.roles), database, audit });
    const configured = await openConfigurationRecord(database);
    const ready = async (): Promise<void> => audit && recordConfiguration(configured, settings, audit);
    return { directory: { value: directory, ready }, principals: { value: directory } };
  },
});
