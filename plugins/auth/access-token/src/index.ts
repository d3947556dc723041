import { Database, Directory } from '@sextant/contracts';
import { defineAuthenticator, definePlugin } from '@sextant/core';
import { AccessTokens, accessTokens } from './access-tokens.ts';
import { commands } from './commands.ts';
import { LastUses } from './last-uses.ts';
import { secretIn } from './secret.ts';
import { migrations } from './tables.ts';
import type { AccessTokenTables } from './tables.ts';
import { TokenCheck } from './token-check.ts';
import { TokenStore } from './token-store.ts';

const authenticator = defineAuthenticator({
  name: 'access-token',
  needs: { tokens: accessTokens },
  async authenticate({ headers }, { tokens }) {
    const secret = secretIn(headers);
    return secret === undefined ? undefined : tokens.callerOf(secret);
  },
  firstCredential: ({ tokens }) => tokens.createFirst(),
});

export default definePlugin({
  name: 'auth-access-token',
  needs: { database: Database, directory: Directory },
  provides: { tokens: accessTokens },
  authenticators: [authenticator],
  commands,
  async start(_config, { database, directory }, { log }) {
    const store = new TokenStore(await database.open<AccessTokenTables>({ name: 'access_token', migrations }));
    const uses = new LastUses(store, log);
    const check = new TokenCheck({ store, directory, uses, database });
    return { tokens: { value: new AccessTokens({ store, directory, check }), close: () => uses.close() } };
  },
});
