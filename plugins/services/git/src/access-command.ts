import { AccessRules, byConfiguration, repositoryNamed } from '@sextant/contracts';
import type { HostedRepositories } from '@sextant/contracts';
import { Principals, SextantError, defineCommand, oneLine } from '@sextant/core';
import { z } from 'zod';
import type { Catalog } from './catalog/catalog.ts';

export const accessRules = (catalog: Catalog, hosted: HostedRepositories | undefined): AccessRules => ({
  async explain(caller, name) {
    const entry = repositoryNamed(name, {
      exact: catalog.find(name),
      former: catalog.findFormer(name),
      visible: () => catalog.all(),
      canRead: () => true,
      nameOf: (each) => each.name,
      isHosted: ({ hosted: listed }) => listed !== undefined,
    });
    if (!entry.hosted) return { repository: entry.name, ...byConfiguration(caller, entry.access) };
    const reader = await hosted?.readerFor(caller);
    return {
      repository: entry.name,
      canRead: reader?.canRead(entry.hosted) ?? false,
      why: reader?.explain(entry.hosted) ?? 'code hosts are switched off',
    };
  },
});

export const accessExplain = defineCommand({
  name: 'access explain',
  summary: 'say whether a user may read a repository, and why',
  input: z.object({
    user: z.string().describe('Name of the user'),
    repository: z.string().describe('Name of the repository, or the end of it'),
  }),
  positionals: ['user', 'repository'],
  needs: { principals: Principals, rules: AccessRules },
  output: z.object({ user: z.string(), repository: z.string(), canRead: z.boolean(), why: z.string() }),
  async run({ user, repository }, { principals, rules }) {
    const caller = await principals.named(user);
    if (!caller)
      throw new SextantError(
        'not_found',
        `there is no user "${user.slice(0, 100)}" who may sign in; somebody of a code host becomes one when they sign in here first`,
      );
    return { user: caller.user.name, ...(await rules.explain(caller, repository)) };
  },
  toText: ({ user, repository, canRead, why }) =>
    `${user} may ${canRead ? '' : 'not '}read ${oneLine(repository)}: ${oneLine(why)}`,
});
