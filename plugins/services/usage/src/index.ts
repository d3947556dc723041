import { Database, Directory, Usage } from '@sextant/contracts';
import { CallRecorder, definePlugin } from '@sextant/core';
import { z } from 'zod';
import { EventStore } from './event-store.ts';
import { Recorder } from './recorder.ts';
import { Retention } from './retention.ts';
import { migrations } from './migrations.ts';
import type { UsageTables } from './tables.ts';
import { UsageService } from './usage-service.ts';

export default definePlugin({
  name: 'service-usage',
  config: z.object({
    eventDays: z
      .int()
      .min(1)
      .max(36_500)
      .default(90)
      .describe('How long single events are kept; their sums by day are kept for ever'),
  }),
  needs: { database: Database, directory: Directory },
  provides: { recorder: CallRecorder, usage: Usage },
  async start({ eventDays }, { database, directory }, { log, externalURL }) {
    const db = await database.open<UsageTables>({ name: 'usage', migrations });
    const events = new EventStore(db);
    const recorder = new Recorder({ sink: events, log });
    const retention = new Retention({ events, days: eventDays, log });
    return {
      recorder: {
        value: recorder,
        ready: async () => retention.begin(),
        close: () => retention.close().then(() => recorder.close()),
      },
      usage: { value: new UsageService({ db, directory, externalURL }) },
    };
  },
});
