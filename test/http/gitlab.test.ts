import { HostedRepositories } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { Principals } from '@sextant/core';
import { expect, test } from 'vitest';
import { redirectUri, startOidc } from '../../plugins/auth/oidc/src/testing/start-oidc.ts';
import { startUpstream } from '../../plugins/auth/oidc/src/testing/upstream.ts';
import { company, readableBy } from '../../plugins/sources/gitlab/src/testing/company.ts';
import { gitLabAPI, token } from '../../plugins/sources/gitlab/src/testing/gitlab.ts';
import { loadPreset } from '../support/preset.ts';

test('people who sign in with GitLab read what GitLab shows them, by the number of their account', async () => {
  const { state, listener } = gitLabAPI(company());
  await using upstream = await startUpstream(redirectUri, listener);
  const { issuer, people } = upstream;
  // As the page on GitLab as a provider says: `sub` is the id of the user.
  for (const { id, username, email } of state.company.people)
    people.set(String(id), { preferred_username: username, email, email_verified: true });
  const [sources, gitlab] = await loadPreset(['service-sources', 'source-gitlab']);
  if (!sources || !gitlab) throw new Error('the preset lacks them');
  const source = { type: 'gitlab', url: issuer, token, permissions: 'sync', accessSeconds: 1 };
  using folder = temporaryFolder();
  await using started = await startOidc(folder.path, {
    upstream,
    others: [[gitlab], [sources, { sources: [source] }]],
  });
  await started.ready();
  const { hosted, principals } = started.services.resolve({ hosted: HostedRepositories, principals: Principals });
  const withCode = state.company.projects.filter(({ repository }) => repository !== 'disabled');
  await expect.poll(() => hosted.all()).toHaveLength(withCode.length);
  const readable = async (username: string): Promise<string[]> => {
    const caller = await principals.named(username);
    if (!caller) throw new Error(`there is no user ${username}`);
    const reader = await hosted.readerFor(caller);
    const names = hosted.all().flatMap((each) => (reader.canRead(each) ? [each.name] : []));
    return names.map((name) => name.slice(new URL(issuer).host.length + 1)).toSorted();
  };
  for (const [username, subject] of [
    ['carol', '4'],
    ['erin', '6'],
  ] as const) {
    expect((await started.signIn(subject)).user).toBe(username);
    await expect.poll(() => readable(username)).toEqual(readableBy(username, state.company).toSorted());
  }
  // Neither the name nor the address makes somebody the account: carol left, and her name went to another.
  state.company.people.splice(3, 1, { id: 40, username: 'carol', email: 'carol@example.com', isConfirmed: true });
  await expect.poll(() => readable('carol')).toEqual(['acme/open']);
});
