import { AccessTokens as OwnAccessTokens, Audit, Database, Directory } from '@sextant/contracts';
import { defineAuthenticator, definePlugin, optional } from '@sextant/core';
import { AccessTokens, accessTokens } from './access-tokens.ts';
import { commands } from './commands.ts';
import { LastUses } from './last-uses.ts';
import { OwnTokens } from './own-tokens.ts';
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
  needs: { database: Database, directory: Directory, audit: optional(Audit) },
  provides: { tokens: accessTokens, own: OwnAccessTokens },
  authenticators: [authenticator],
  commands,
  async start(_config, { database, directory, audit }, { log }) {
    const store = new TokenStore(await database.open<AccessTokenTables>({ name: 'access_token', migrations }));
    const uses = new LastUses(store, log);
    const check = new TokenCheck({ store, directory, uses, database });
    return {
      tokens: { value: new AccessTokens({ store, directory, check, audit }), close: () => uses.close() },
      own: { value: new OwnTokens(store, audit) },
    };
  },
});
