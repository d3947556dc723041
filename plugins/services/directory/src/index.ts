import { Database, Directory } from '@sextant/contracts';
import { Principals, SextantError, definePlugin } from '@sextant/core';
import { commands } from './commands.ts';
import { config } from './config.ts';
import type { ConfiguredUser } from './config.ts';
import { Roles } from './roles.ts';
import { migrations } from './tables.ts';
import type { DirectoryTables } from './tables.ts';
import { UserDirectory } from './user-directory.ts';
import { Users } from './users.ts';

export default definePlugin({
  name: 'service-directory',
  config,
  topLevel: ['users', 'roles'],
  needs: { database: Database },
  provides: { directory: Directory, principals: Principals },
  commands,
  async start(settings, { database }) {
    const roles = new Roles(settings.roles);
    requireConsistent(settings.users, roles);
    const users = new Users(await database.open<DirectoryTables>({ name: 'directory', migrations }));
    await users.ensureAdministrator();
    await users.configure(settings.users);
    const directory = new UserDirectory({ users, roles, version: () => database.version() });
    return { directory: { value: directory }, principals: { value: directory } };
  },
});

function requireConsistent(users: readonly ConfiguredUser[], roles: Roles): void {
  const names = new Set<string>();
  for (const { name, roles: given } of users) {
    if (names.has(name.toLowerCase())) throw new SextantError('invalid_argument', `users: "${name}" is there twice; names are unique whatever the case`);
    names.add(name.toLowerCase());
    roles.requireCustom(given);
  }
}
