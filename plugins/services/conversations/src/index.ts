import {
  Conversations,
  Credits,
  Database,
  Directory,
  LanguageModel,
  Repositories,
  Researcher,
} from '@sextant/contracts';
import { Announcements, definePlugin, optional } from '@sextant/core';
import { Changes } from './changes.ts';
import { config } from './config.ts';
import { ConversationService } from './conversation-service.ts';
import { ConversationStore } from './conversation-store.ts';
import { QuestionRunner } from './question-runner.ts';
import { routes } from './rest.ts';
import { migrations } from './tables.ts';
import type { ConversationTables } from './tables.ts';
import { WorkQueue } from './work-queue.ts';

export default definePlugin({
  name: 'service-conversations',
  config,
  needs: {
    database: Database,
    directory: Directory,
    repositories: Repositories,
    credits: Credits,
    researcher: Researcher,
    model: optional(LanguageModel),
    announcements: optional(Announcements),
  },
  provides: { conversations: Conversations },
  pages: routes,
  async start(settings, services, { externalURL, log }) {
    const { database, directory, repositories, credits, researcher, model, announcements } = services;
    const db = await database.open<ConversationTables>({ name: 'conversation', migrations, isLog: true });
    const [store, changes, queue] = [new ConversationStore(db), new Changes(announcements), new WorkQueue(db)];
    const shared = { store, changes, directory, repositories, config: settings };
    const runner = new QuestionRunner({ ...shared, queue, researcher: model ?? researcher, log });
    return {
      conversations: {
        value: new ConversationService({ ...shared, runner, credits, externalURL }),
        ready: async () => runner.start(),
        close: async () => {
          changes.close();
          await runner.close();
        },
      },
    };
  },
});
