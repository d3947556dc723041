import type { GitStore, HostedRepositories } from '@sextant/contracts';

/** What figures of each repository that is served now are kept by, by its name. */
export type RepositoryKeys = () => Promise<ReadonlyMap<string, string>>;

interface Served {
  readonly store: Pick<GitStore, 'names' | 'onChange'> | undefined;
  readonly hosted: Pick<HostedRepositories, 'all' | 'onChange'> | undefined;
}

/**
 * The key at the code host, after a colon, which stays when the repository is renamed: one that takes over its name does not take
 * over its figures. The name, where there is no host. A name that nothing has is not kept.
 */
export function repositoryKeys({ store, hosted }: Served): RepositoryKeys & { close(): void } {
  let known: Promise<ReadonlyMap<string, string>> | undefined;
  const forget = (): void => void (known = undefined);
  const stop = [store?.onChange(forget), hosted?.onChange(forget)];
  const read = async (): Promise<ReadonlyMap<string, string>> => {
    const names = (await store?.names()) ?? [];
    const keys = new Map(hosted?.all().map(({ name, key }) => [name, `:${key}`]));
    return new Map(names.map((name) => [name, keys.get(name) ?? name]));
  };
  const keys = async (): Promise<ReadonlyMap<string, string>> => {
    known ??= read();
    known.catch(forget);
    return known;
  };
  return Object.assign(keys, { close: () => stop.forEach((each) => each?.()) });
}
