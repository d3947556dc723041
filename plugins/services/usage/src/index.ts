import {
  Database,
  Directory,
  GitStore,
  HostedRepositories,
  Repositories,
  Usage,
  analyticsRead,
} from '@sextant/contracts';
import { CallRecorder, definePlugin, messageOf, optional } from '@sextant/core';
import { config } from './config.ts';
import type { Target } from './config.ts';
import { UsageEventStore, retention } from './recording/event-store.ts';
import { ingestPage } from './exchange/ingest-page.ts';
import { Outbox } from './exchange/outbox.ts';
import { Pusher } from './exchange/pusher.ts';
import type { PusherOptions } from './exchange/pusher.ts';
import { Receiver, UsageReceiver } from './exchange/receiver.ts';
import { migrations } from './database/migrations.ts';
import { people } from './answers/view.ts';
import { Recorder } from './recording/recorder.ts';
import { repositoryKeys } from './recording/repository-keys.ts';
import { toolActivities } from './recording/tool-activities.ts';
import type { UsageTables } from './database/tables.ts';
import { UsageService } from './answers/usage-service.ts';

export default definePlugin({
  name: 'service-usage',
  config,
  needs: {
    database: Database,
    directory: Directory,
    repositories: optional(Repositories),
    store: optional(GitStore),
    hosted: optional(HostedRepositories),
  },
  provides: { recorder: CallRecorder, usage: Usage, receiver: UsageReceiver },
  pages: [ingestPage],
  permissions: [analyticsRead],
  async start({ eventDays, receiveFrom, pushTo }, services, { log, externalURL }) {
    const { database, directory, repositories } = services;
    const db = await database.open<UsageTables>({ name: 'usage', migrations, isLog: true });
    const keys = repositoryKeys(services);
    const events = new UsageEventStore(db, keys);
    // What was added up before can be read while nothing can be written, and the rest is added up later.
    const settle = (): Promise<void> =>
      events.settle().catch((error: unknown) => log.warn({}, `the newest usage is not counted: ${messageOf(error)}`));
    const recorder = new Recorder({ sink: events, log });
    let deleting: ReturnType<typeof retention> | undefined;
    const pusher =
      pushTo &&
      pusherTo(pushTo, {
        outbox: new Outbox(db, pushTo.url),
        tools: () => toolActivities(db),
        alone: (push) => database.exclusively(`usage-push ${pushTo.url}`, push),
        settle,
        directory,
        log,
        externalURL,
      });
    return {
      recorder: {
        value: recorder,
        ready: async () => void (deleting = retention({ events, days: eventDays, log })),
        close: async () => {
          await deleting?.close();
          await recorder.close();
          await settle();
          keys.close();
        },
      },
      usage: {
        value: new UsageService({ db, directory, repositories, keys, externalURL, settle }),
        ready: async () => pusher?.begin(),
        close: async () => pusher?.close(),
      },
      receiver: { value: new Receiver({ db, externalURL, senders: receiveFrom }) },
    };
  },
});

type Pushing = Pick<PusherOptions, 'outbox' | 'tools' | 'alone' | 'settle' | 'log' | 'externalURL'> & {
  directory: Directory;
};

const pusherTo = ({ url, token, intervalSeconds }: Target, { directory, ...rest }: Pushing): Pusher =>
  new Pusher({ ...rest, url, token, intervalMs: intervalSeconds * 1000, people: () => people(directory) });
