import { Repositories } from '@sextant/contracts';
import { Principals, SextantError, defineCommand, definePlugin } from '@sextant/core';
import { z } from 'zod';

/** `sextant repository-access alice [--json]` */
const repositoryAccess = defineCommand({
  name: 'repository-access',
  summary: 'repositories that a user may read',
  input: z.object({ user: z.string().describe('name of the user') }),
  // The others are options: `--kebab-case`.
  positionals: ['user'],
  needs: { principals: Principals, repositories: Repositories },
  output: z.object({ repositories: z.array(z.string()) }),
  async run({ user }, { principals, repositories }) {
    const caller = await principals.named(user);
    if (!caller) throw new SextantError('not_found', `there is no user "${user}", or the user is disabled`);
    return { repositories: (await repositories.list(caller)).map(({ name }) => name) };
  },
  toText: (output) => output.repositories.join('\n'),
});

export default definePlugin({ name: 'command-repository-access', commands: [repositoryAccess] });
