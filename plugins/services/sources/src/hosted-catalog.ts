import { isGranted } from '@sextant/contracts';
import type {
  AskedLogin,
  GitLogin,
  HostedReader,
  HostedRepositories,
  HostedRepository,
  SSHLogin,
} from '@sextant/contracts';
import type { Caller } from '@sextant/core';
import { told } from './access-lists.ts';
import type { AccessLists, UsableList } from './access-lists.ts';
import type { ConfiguredSource } from './config.ts';
import type { ListedRepository } from './repository-store.ts';
import { whyLeftOut } from './selection.ts';
import type { Synchroniser } from './synchroniser.ts';

/** A source with what keeps it up to date. */
export interface FollowedSource {
  readonly configured: ConfiguredSource;
  readonly synchroniser: Synchroniser;
  /** Undefined where the operator says who may read its repositories. */
  readonly access: AccessLists | undefined;
}

interface Served {
  readonly repository: HostedRepository;
  readonly listed: ListedRepository;
  readonly followed: FollowedSource;
}

interface Verdict {
  readonly canRead: boolean;
  readonly why: string;
}

/** The repositories of all sources that are to be served. */
export class HostedCatalog implements HostedRepositories {
  readonly #sources: readonly FollowedSource[];
  readonly #listeners = new Set<() => void>();
  #served: ReadonlyMap<string, Served> = new Map();

  constructor(sources: readonly FollowedSource[]) {
    this.#sources = sources;
    this.refresh();
  }

  /** Looks again at what the sources list, and tells the listeners. */
  refresh(): void {
    const served = this.#sources.flatMap((followed) =>
      followed.synchroniser
        .listed()
        .filter(({ facts }) => whyLeftOut(facts, followed.configured) === undefined)
        .map((listed): Served => ({ listed, followed, repository: hostedOf(listed, followed.configured) })),
    );
    served.sort((a, b) => (a.repository.name < b.repository.name ? -1 : 1));
    this.#served = new Map(served.map((each) => [each.repository.key, each]));
    for (const listener of this.#listeners) listener();
  }

  all(): readonly HostedRepository[] {
    return [...this.#served.values()].map(({ repository }) => repository);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async login(key: string, signal: AbortSignal): Promise<GitLogin | AskedLogin | undefined> {
    const served = this.#served.get(key);
    if (!served || served.followed.configured.settings.ssh) return undefined;
    const { credentialHelper: helper } = served.followed.configured.settings;
    if (helper !== undefined) return { helper };
    return served.followed.configured.source.login(served.listed.facts, signal);
  }

  sshLogin(key: string): SSHLogin | undefined {
    return this.#served.get(key)?.followed.configured.settings.ssh;
  }

  async readerFor(caller: Caller): Promise<HostedReader> {
    const lists = new Map<FollowedSource, UsableList>();
    if (!caller.user.isSiteAdmin)
      await Promise.all(
        this.#sources.map(async (followed) => {
          if (followed.access) lists.set(followed, await followed.access.of(caller.user));
        }),
      );
    const verdictOn = ({ key }: HostedRepository): Verdict => {
      const served = this.#served.get(key);
      return served ? decide(caller, served, lists.get(served.followed)) : { canRead: false, why: 'it is not served' };
    };
    return {
      canRead: (repository) => verdictOn(repository).canRead,
      explain: (repository) => verdictOn(repository).why,
    };
  }
}

/** Whether a caller may read a repository of a host: the one place where that is decided. */
function decide(caller: Caller, { listed, followed }: Served, usable: UsableList | undefined): Verdict {
  const { settings, name } = followed.configured;
  const { visibility } = listed.facts;
  if (caller.user.isSiteAdmin) return { canRead: true, why: 'site administrators read every repository' };
  if (settings.access && isGranted(caller, settings.access))
    return { canRead: true, why: `"access" of the source ${name} names them or a role that they have` };
  const isSynchronised = settings.permissions === 'sync';
  if (visibility === 'public' && (isSynchronised || !settings.access))
    return usable?.list?.whole.includes('public') === false && isSynchronised
      ? decideByList(listed, name, usable.list)
      : { canRead: true, why: `it is public at ${name}` };
  if (!isSynchronised)
    return {
      canRead: false,
      why: settings.access
        ? `"access" of the source ${name} names neither them nor a role that they have`
        : `it is ${visibility} at ${name}, and the source has neither "permissions: sync" nor "access"`,
    };
  if (!usable?.list) return { canRead: false, why: usable?.reason ?? 'no list' };
  return decideByList(listed, name, usable.list);
}

type List = NonNullable<UsableList['list']>;

function decideByList({ number, facts: { visibility } }: ListedRepository, name: string, list: List): Verdict {
  const who = `the account ${list.account.login} (id ${list.account.id})`;
  if (list.whole.includes(visibility))
    return { canRead: true, why: `${name} shows every ${visibility} repository to ${who}, ${told(list.listedAt)}` };
  const canRead = list.numbers.has(number);
  return { canRead, why: `${name} ${canRead ? 'shows' : 'does not show'} it to ${who}, ${told(list.listedAt)}` };
}

function hostedOf(
  { facts, formerPaths }: ListedRepository,
  { name, settings, source }: ConfiguredSource,
): HostedRepository {
  const { visibility, description, isArchived, isFork, topics, stars, pushed, cloneURL, sshURL, changed } = facts;
  return {
    key: `${name}#${facts.id}`,
    name: `${source.host}/${facts.path}`,
    formerNames: formerPaths.map((path) => `${source.host}/${path}`),
    cloneURL: settings.ssh && sshURL !== undefined ? sshURL : cloneURL,
    description,
    visibility,
    isArchived,
    isFork,
    topics,
    ...(stars !== undefined && { stars }),
    ...(pushed !== undefined && { pushed }),
    isPrivate: visibility !== 'public' || (settings.permissions === 'none' && settings.access !== undefined),
    branches: settings.branches,
    ...(settings.depth !== undefined && { depth: settings.depth }),
    changed,
  };
}
