import { Database, HostedRepositories, Identities, SourceTypes } from '@sextant/contracts';
import { Cluster } from '@sextant/contracts/nodes';
import { Announcements, all, definePlugin, optional, silentLogger } from '@sextant/core';
import type { ServiceStatus } from '@sextant/core';
import { AccessLists } from './access-lists.ts';
import { commands } from './commands.ts';
import { config, readSources } from './config.ts';
import type { ConfiguredSource } from './config.ts';
import { checkTokens, diagnoseSource } from './check-tokens.ts';
import { HostEvents } from './host-events.ts';
import { HostedCatalog } from './hosted-catalog.ts';
import type { FollowedSource } from './hosted-catalog.ts';
import { RepositoryStore } from './repository-store.ts';
import { Sources } from './sources.ts';
import { Synchroniser } from './synchroniser.ts';
import { migrations } from './tables.ts';
import type { SourcesTables } from './tables.ts';
import { sourceWebhook } from './webhook.ts';

export default definePlugin({
  name: 'service-sources',
  config,
  topLevel: ['sources'],
  needs: {
    database: Database,
    types: all(SourceTypes),
    identities: optional(Identities),
    announcements: optional(Announcements),
    cluster: optional(Cluster),
  },
  provides: { hosted: HostedRepositories, sources: Sources },
  pages: [sourceWebhook],
  commands,
  async checkConfig(settings, { contributionsTo, mayRead }) {
    const { sources, mistakes } = readSources(settings, contributionsTo(SourceTypes), { log: silentLogger });
    return [...mistakes, ...(mayRead ? await checkTokens(sources) : [])];
  },
  async diagnose(settings, { contributionsTo }) {
    const { sources } = readSources(settings, contributionsTo(SourceTypes), { log: silentLogger });
    return (await Promise.all(sources.map(diagnoseSource))).flat();
  },
  async start(settings, { database, types, identities, announcements, cluster }, { log }) {
    const { sources, mistakes } = readSources(settings, types, { log });
    if (mistakes.length > 0)
      throw new Error(mistakes.map(({ path, text }) => `${path.map(String).join('.')}: ${text}`).join('; '));
    if (cluster && !announcements) requireNoSignIn(sources);
    const db = await database.open<SourcesTables>({ name: 'sources', migrations });
    const changes = new Coalesced(refreshMs);
    const follow = async (configured: ConfiguredSource): Promise<FollowedSource> => {
      const store = new RepositoryStore(db, configured.name);
      const onGone = (): void => events.noteGone(configured.name);
      const synchroniser = await Synchroniser.open({ configured, store, log, onChange: () => changes.note(), onGone });
      const isSynchronised = configured.settings.permissions === 'sync';
      const access = isSynchronised ? new AccessLists({ configured, synchroniser, db, identities, log }) : undefined;
      return { configured, synchroniser, access };
    };
    const followed = await Promise.all(sources.map(follow));
    const catalog = new HostedCatalog(followed);
    const events = new HostEvents({ followed, announcements, log });
    changes.follow(() => catalog.refresh());
    const close = async (): Promise<void> => {
      events.close();
      changes.close();
      await Promise.all(followed.flatMap(({ synchroniser, access }) => [synchroniser.close(), access?.close()]));
    };
    return {
      hosted: { value: catalog },
      sources: {
        value: events,
        ready: async () => {
          for (const { synchroniser } of followed) void synchroniser.look({ atAll: true });
        },
        status: () => statusOf({ followed, catalog, changes }),
        close,
      },
    };
  },
});

/** Code nodes know who signed in as whom by the database that they share with hosts. */
function requireNoSignIn(sources: readonly ConfiguredSource[]): void {
  const source = sources.find(({ settings }) => settings.permissions === 'sync' && !settings.matchEmail);
  if (source)
    throw new Error(
      `the source ${source.name} has "permissions: sync": with "cluster" that needs service-postgres, which hosts and code nodes share, or "matchEmail"`,
    );
}

/** Time in which changes are gathered before the catalog is made again: lists come in many pages. */
const refreshMs = 200;

/** Does something a little after it was asked for, once for all that ask meanwhile. */
class Coalesced {
  readonly #ms: number;
  #work = (): void => undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  get isPending(): boolean {
    return this.#timer !== undefined;
  }

  follow(work: () => void): void {
    this.#work = work;
  }

  note(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#work();
    }, this.#ms).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}

interface StatusParts {
  followed: readonly FollowedSource[];
  catalog: HostedCatalog;
  changes: Coalesced;
}

function statusOf({ followed, catalog, changes }: StatusParts): ServiceStatus {
  const failures = followed.flatMap(({ configured, synchroniser, access }) =>
    [synchroniser.failure ?? configured.waits.failure, access?.failure].filter((failure) => failure !== undefined),
  );
  const waiting = followed.filter(({ synchroniser }) => synchroniser.listedAt === undefined && !synchroniser.failure);
  const lists = followed.flatMap(({ synchroniser }) => synchroniser.listedAt ?? []);
  return {
    isReady: waiting.length === 0 && !changes.isPending,
    detail: {
      sources: followed.length,
      repositories: catalog.all().length,
      failed: failures.length,
      ...(lists.length > 0 && { oldestList: new Date(Math.min(...lists)).toISOString() }),
    },
    ...(failures.length > 0 && { failures }),
  };
}
