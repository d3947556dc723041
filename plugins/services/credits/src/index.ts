import { Credits, Database } from '@sextant/contracts';
import { definePlugin, hourly } from '@sextant/core';
import { config } from './config.ts';
import { CreditAccounts } from './credit-accounts.ts';
import { forgetUses } from './ledger.ts';
import { migrations } from './tables.ts';
import type { CreditsTables } from './tables.ts';

export default definePlugin({
  name: 'service-credits',
  config,
  topLevel: ['credits', 'entitlements'],
  needs: { database: Database },
  provides: { credits: Credits },
  async start(settings, { database }, { log }) {
    const db = await database.open<CreditsTables>({ name: 'credits', migrations, isLog: true });
    let forgetting: ReturnType<typeof hourly> | undefined;
    return {
      credits: {
        value: new CreditAccounts({ db, config: settings }),
        ready: async () => {
          forgetting = hourly(() => forgetUses(db, Date.now()), {
            log,
            failure: 'uses of metered tools that are over were not deleted',
          });
        },
        close: async () => forgetting?.close(),
      },
    };
  },
});
