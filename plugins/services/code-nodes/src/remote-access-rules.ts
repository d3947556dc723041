import { byConfiguration, repositoryNamed } from '@sextant/contracts';
import type { AccessRules, HostedRepositories } from '@sextant/contracts';
import type { CatalogueReplica } from './replica.ts';

/** Why a user may read a repository or not, by what the nodes tell of it. */
export const remoteAccessRules = (replica: CatalogueReplica, hosted: HostedRepositories | undefined): AccessRules => ({
  async explain(caller, name) {
    const entry = repositoryNamed(name, {
      exact: replica.find(name),
      former: replica.findFormer(name),
      visible: () => replica.all(),
      canRead: () => true,
      nameOf: ({ info }) => info.name,
      isHosted: ({ hostedKey }) => hostedKey !== undefined,
    });
    const { name: repository } = entry.info;
    if (entry.hostedKey === undefined) return { repository, ...byConfiguration(caller, entry.access) };
    const reader = await hosted?.readerFor(caller);
    const listed = hosted?.all().find(({ key }) => key === entry.hostedKey);
    if (!reader || !listed) return { repository, canRead: false, why: 'its code host is not known to this host' };
    return { repository, canRead: reader.canRead(listed), why: reader.explain(listed) };
  },
});
