import { Audit, Counters, Database, Directory, Secrets, Sessions } from '@sextant/contracts';
import { definePlugin, optional } from '@sextant/core';
import { userPassword } from './command.ts';
import { pages, path } from './pages.ts';
import { PasswordHash } from './password-hash.ts';
import { Passwords, passwords } from './passwords.ts';
import { migrations } from './tables.ts';
import type { PasswordTables } from './tables.ts';
import { Throttle } from './throttle.ts';

export default definePlugin({
  name: 'auth-password',
  needs: {
    database: Database,
    secrets: Secrets,
    directory: Directory,
    sessions: Sessions,
    audit: optional(Audit),
  },
  provides: { passwords },
  commands: [userPassword],
  pages,
  async start(_config, { database, secrets, ...services }) {
    const db = await database.open<PasswordTables>({ name: 'password', migrations });
    const throttle = new Throttle(await Counters.open({ database, secrets, name: 'password' }));
    const value = new Passwords({ db, hash: new PasswordHash(), throttle, ...services });
    const withdraw = services.sessions.offer({ name: 'password', title: 'Sign in with a password', path });
    return { passwords: { value, close: async () => withdraw() } };
  },
});
