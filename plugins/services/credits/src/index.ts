import { Credits, Database } from '@sextant/contracts';
import { definePlugin } from '@sextant/core';
import { config } from './config.ts';
import { CreditAccounts } from './credit-accounts.ts';
import { migrations } from './tables.ts';
import type { CreditsTables } from './tables.ts';

export default definePlugin({
  name: 'service-credits',
  config,
  topLevel: ['credits', 'entitlements'],
  needs: { database: Database },
  provides: { credits: Credits },
  async start(settings, { database }) {
    const db = await database.open<CreditsTables>({ name: 'credits', migrations, isLog: true });
    return { credits: { value: new CreditAccounts({ db, config: settings }) } };
  },
});
