import { Audit, Directory, userNamed } from '@sextant/contracts';
import type { DirectoryUser } from '@sextant/contracts';
import { SextantError, defineCommand, optional } from '@sextant/core';
import type { Command } from '@sextant/core';
import { z } from 'zod';
import { oidc } from './sign-in.ts';

const needs = { oidc, directory: Directory, audit: optional(Audit) };
const name = z.string().describe('Name of the user');
const output = z.object({ name: z.string() });

const link = defineCommand({
  name: 'oidc link',
  summary: 'say which user someone of the OpenID Connect provider is',
  input: z.object({
    name,
    subject: z.string().min(1).max(255).describe('What the provider calls them: the claim "sub"'),
  }),
  positionals: ['name', 'subject'],
  needs,
  output,
  run: async ({ name: given, subject }, { oidc: { links, issuer }, directory, audit }) => {
    if (issuer === undefined)
      throw new SextantError('conflict', 'no provider is configured (key "issuer" of the plugin auth-oidc)');
    const user = await personNamed(directory, given);
    if (!(await links.add({ issuer, subject }, user.id)))
      throw new SextantError(
        'conflict',
        `${user.name} or that subject is linked already; oidc unlink NAME comes first`,
      );
    audit?.record({
      action: 'user.linked',
      outcome: 'success',
      target: user.name,
      detail: `oidc ${issuer} ${subject}`,
    });
    return { name: user.name };
  },
  toText: ({ name: linked }) => `${linked} signs in through the provider from now on`,
});

const unlink = defineCommand({
  name: 'oidc unlink',
  summary: 'forget who a user is for the OpenID Connect provider',
  input: z.object({ name }),
  positionals: ['name'],
  needs,
  output,
  run: async ({ name: given }, { oidc: { links }, directory, audit }) => {
    const user = await personNamed(directory, given);
    if (!(await links.removeOf(user.id))) throw new SextantError('not_found', `${user.name} is not linked`);
    audit?.record({ action: 'user.unlinked', outcome: 'success', target: user.name, detail: 'oidc' });
    return { name: user.name };
  },
  toText: ({ name: unlinked }) => `${unlinked} is not linked any more`,
});

export const commands: readonly Command[] = [link, unlink];

async function personNamed(directory: Directory, given: string): Promise<DirectoryUser> {
  const user = await userNamed(directory, given);
  if (user.isServiceAccount) throw new SextantError('conflict', `${user.name} is a service account, not a person`);
  return user;
}
