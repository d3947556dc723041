import { byConfiguration } from '@sextant/contracts';
import type { AccessRules, HostedRepositories } from '@sextant/contracts';
import { SextantError, didYouMean } from '@sextant/core';
import type { CatalogueReplica } from './replica.ts';

/** Why a user may read a repository or not, by what the nodes tell of it. */
export const remoteAccessRules = (replica: CatalogueReplica, hosted: HostedRepositories | undefined): AccessRules => ({
  async explain(caller, name) {
    const entry = replica.find(name) ?? replica.findFormer(name);
    if (!entry) {
      const names = replica.all().map(({ info }) => info.name);
      throw new SextantError('not_found', `no repository "${name.slice(0, 200)}" is served.${didYouMean(name, names)}`);
    }
    const { name: repository } = entry.info;
    if (entry.hostedKey === undefined) return { repository, ...byConfiguration(caller, entry.access) };
    const reader = await hosted?.readerFor(caller);
    const listed = hosted?.all().find(({ key }) => key === entry.hostedKey);
    if (!reader || !listed) return { repository, canRead: false, why: 'its code host is not known to this host' };
    return { repository, canRead: reader.canRead(listed), why: reader.explain(listed) };
  },
});
