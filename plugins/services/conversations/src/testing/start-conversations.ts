import { Conversations, Directory, Links, Repositories, Researcher, isFinal } from '@sextant/contracts';
import type { Conversation, ResearchAnswer, ResearchQuestion, ResearchWork } from '@sextant/contracts';
import { SextantError, definePlugin, silentLogger } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import credits from '@sextant/service-credits';
import directory from '@sextant/service-directory';
import { testDatabase } from '@sextant/service-postgres/testing';
import plugin from '../index.ts';

export type Answering = (
  question: ResearchQuestion,
  work: ResearchWork & { caller: Caller },
) => Promise<ResearchAnswer>;

export const sourceIn = (repo: string) => ({
  repo,
  path: 'cart.ts',
  commit: 'c'.repeat(40),
  startLine: 1,
  endLine: 2,
});

/** `shop` is for everyone, `secret` for alice alone. */
const surroundings = (answer: Answering) =>
  definePlugin({
    name: 'surroundings',
    provides: { repositories: Repositories, researcher: Researcher, links: Links },
    start: async () => ({
      repositories: {
        value: {
          list: async () => [],
          open: async ({ user }: Caller, name: string) => {
            if (name === 'shop' || (name === 'secret' && user.name === 'alice')) return Object.create(null);
            throw new SextantError('not_found', `repository "${name}" not found`);
          },
        },
      },
      researcher: {
        value: {
          locate: () => Promise.reject(new Error('nobody asks')),
          answer: (caller: Caller, question: ResearchQuestion, work: ResearchWork) =>
            answer(question, { ...work, caller }),
        },
      },
      links: {
        value: {
          file: ({ repo, path, startLine }) => `http://localhost/${repo}/-/blob/${path}?L${startLine}`,
          commit: (repo, hash) => `http://localhost/${repo}/-/commit/${hash}`,
        },
      },
    }),
  });

export interface StartedConversations extends StartedPlugins {
  readonly conversations: Conversations;
  readonly alice: Caller;
  readonly bob: Caller;
  /** Adds a user of the database, whose rights can change. */
  join(name: string, roles: readonly string[]): Promise<{ people: Directory; carol: Caller }>;
  /** Asks as alice. */
  ask(question: string): Promise<Conversation>;
  /** The conversation when its last question is finished. */
  finished(conversation: Conversation, reader?: Caller): Promise<Conversation>;
  /** Sends a request to a route of the plugin. */
  send(caller: Caller, path: string, init?: RequestInit): Promise<Response>;
}

/** The plugin as a process of its own on a data folder. */
export async function startConversations(
  dataFolder: string,
  answer: Answering,
  { config = {}, more = {} }: { config?: object; more?: object } = {},
): Promise<StartedConversations> {
  const users = [{ name: 'alice' }, { name: 'bob' }];
  const started = await startPlugins(dataFolder, [
    [testDatabase],
    [directory, { users, roles: { team: { permissions: [] } } }],
    [credits, more],
    [surroundings(answer)],
    [plugin, config],
  ]);
  await started.ready();
  const { conversations, people } = started.services.resolve({ conversations: Conversations, people: Directory });
  const callerNamed = async (name: string): Promise<Caller> => {
    const user = await people.find(name);
    const caller = user && (await people.callerFor({ userId: user.id, scopes: ['all'], credential: name }));
    if (!caller) throw new Error(`there is no ${name}`);
    return caller;
  };
  const [alice, bob] = [await callerNamed('alice'), await callerNamed('bob')];
  return {
    ...started,
    conversations,
    alice,
    bob,
    join: async (name, roles) => {
      await people.add({ name, roles });
      return { people, carol: await callerNamed(name) };
    },
    ask: (question) => conversations.ask({ caller: alice }, question),
    async finished({ identifier }, reader = alice) {
      let seen = await conversations.read(reader, identifier);
      while (!isFinal(seen.status)) seen = await conversations.next(reader, seen, AbortSignal.timeout(10_000));
      return seen;
    },
    send: (caller, path, init) => send(started, caller, new Request(`http://localhost${path}`, init)),
  };
}

async function send({ services }: StartedPlugins, caller: Caller, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const page = plugin.pages.find(({ method, path }) => method === request.method && patternOf(path).test(pathname));
  if (!page) throw new Error(`there is no route ${request.method} ${pathname}`);
  return page.respond(request, services.resolve(page.needs), {
    caller,
    endpoint: page.path,
    signal: request.signal,
    log: silentLogger,
    reportProgress() {},
  });
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`);
