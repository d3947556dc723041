import { Database, Directory, Usage } from '@sextant/contracts';
import { CallRecorder, definePlugin } from '@sextant/core';
import { config } from './config.ts';
import { EventStore } from './event-store.ts';
import { ingestPage } from './exchange/ingest-page.ts';
import { Outbox } from './exchange/outbox.ts';
import { Pusher } from './exchange/pusher.ts';
import { Receiver, UsageReceiver } from './exchange/receiver.ts';
import { migrations } from './migrations.ts';
import { people } from './people.ts';
import { Recorder } from './recorder.ts';
import { retention } from './retention.ts';
import type { UsageTables } from './tables.ts';
import { UsageService } from './usage-service.ts';

export default definePlugin({
  name: 'service-usage',
  config,
  needs: { database: Database, directory: Directory },
  provides: { recorder: CallRecorder, usage: Usage, receiver: UsageReceiver },
  pages: [ingestPage],
  async start({ eventDays, receiveFrom, pushTo }, { database, directory }, { log, externalURL }) {
    const db = await database.open<UsageTables>({ name: 'usage', migrations, isLog: true });
    const events = new EventStore(db);
    const settle = (): Promise<void> => events.settle();
    const recorder = new Recorder({ sink: events, log });
    let deleting: ReturnType<typeof retention> | undefined;
    const pusher =
      pushTo &&
      new Pusher({
        url: pushTo.url,
        token: pushTo.token,
        intervalMs: pushTo.intervalSeconds * 1000,
        externalURL,
        outbox: new Outbox(db, pushTo.url),
        settle,
        people: () => people(directory),
        log,
      });
    return {
      recorder: {
        value: recorder,
        ready: async () => void (deleting = retention({ events, days: eventDays, log })),
        close: async () => {
          await deleting?.close();
          await recorder.close();
          await settle();
        },
      },
      usage: {
        value: new UsageService({ db, directory, externalURL, settle }),
        ready: async () => pusher?.begin(),
        close: async () => pusher?.close(),
      },
      receiver: { value: new Receiver({ db, externalURL, senders: receiveFrom }) },
    };
  },
});
