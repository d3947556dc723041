import { defineSourceType } from '@sextant/contracts';
import { silentLogger } from '@sextant/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readSources } from './config.ts';
import type { ConfiguredSource } from './config.ts';
import { whyLeftOut } from './selection.ts';
import { emptySource, repositoryOf } from './testing/fake-source.ts';

function configured(keys: object = {}): ConfiguredSource {
  const type = defineSourceType({ type: 'fake', config: z.object({}), open: () => emptySource('git.example.com') });
  const [source] = readSources({ sources: [{ type: 'fake', ...keys }] }, [type], { log: silentLogger }).sources;
  if (!source) throw new Error('the configuration is wrong');
  return source;
}

describe('whether a repository of a host is served', () => {
  it.each([
    ['git.example.com:8443', 'https://git.example.com:8443/acme/shop.git'],
    ['plain http', 'http://git.example.com/acme/shop.git'],
    ['another host', 'https://169.254.169.254/latest'],
    ['a login', 'https://ann:secret@git.example.com/acme/shop.git'],
    ['a helper of git', 'ext::sh -c true'],
    ['a file', 'file:///etc'],
    ['ssh', 'git@git.example.com:acme/shop.git'],
  ])('is no for a clone URL with %s', (_what, cloneURL) => {
    expect(whyLeftOut(repositoryOf('acme/shop', { cloneURL }), configured())).toBe(
      'its clone URL is not at https://git.example.com',
    );
  });

  it.each<[string | undefined, string | undefined]>([
    ['ssh://git@git.example.com:2222/acme/shop.git', undefined],
    ['git@git.example.com:acme/shop.git', undefined],
    ['git@GIT.example.com:acme/shop.git', undefined],
    [undefined, 'its host tells no ssh URL of it'],
    ...[
      'git@other.example:acme/shop.git',
      'ssh://git@git.example.com.other.example/acme/shop.git',
      'ssh://git:secret@git.example.com/acme/shop.git',
      'ssh://-oProxyCommand=x@git.example.com/acme/shop.git',
      'ssh://-oProxyCommand=x/acme/shop.git',
      '-oProxyCommand=x@git.example.com:acme/shop.git',
      'git@git.example.com::acme/shop.git',
      'git@git.example.com:acme/shop .git',
      'ssh://git.example.com/acme\u0000/shop.git',
      'https://git.example.com/acme/shop.git',
      'file:///git@git.example.com:acme/shop.git',
    ].map((url): [string, string] => [url, 'its ssh URL is not at git.example.com; if that is meant, set "sshHost"']),
  ])('over ssh, by the URL %j, is no where that is wrong', (sshURL, why) => {
    const facts = { cloneURL: '', ...(sshURL !== undefined && { sshURL }) };
    expect(whyLeftOut(repositoryOf('acme/shop', facts), configured({ ssh: 'account' }))).toBe(why);
  });

  it('over ssh is yes at the host that the operator says, and at no other', () => {
    const keys = { ssh: 'account', sshHost: 'SSH.example.com' };
    const why = (sshURL: string) => whyLeftOut(repositoryOf('acme/shop', { sshURL }), configured(keys));
    expect(why('git@ssh.example.com:acme/shop.git')).toBeUndefined();
    expect(why('git@git.example.com:acme/shop.git')).toContain('not at ssh.example.com');
  });

  it.each([
    ['../etc', 'contains ".."'],
    ['/acme/shop', 'has an empty segment'],
    ['acme/\u202eshop', 'contains a control character'],
    ['-upload-pack', 'begins with "-"'],
  ])('is no for the name %j', (path, problem) => {
    expect(whyLeftOut(repositoryOf(path), configured())).toContain(problem);
  });

  it('is what the operator says', () => {
    const why = (keys: object, facts = {}) => whyLeftOut(repositoryOf('acme/shop-mirror', facts), configured(keys));
    expect(why({})).toBeUndefined();
    expect(why({}, { isEmpty: true })).toBe('nothing was pushed to it yet');
    expect(why({ exclude: { archived: true } }, { isArchived: true })).toBe('exclude.archived: it is archived');
    expect(why({ exclude: { forks: true } }, { isFork: true })).toBe('exclude.forks: it is a fork');
    expect(why({ exclude: { names: ['*-mirror'] } })).toBe('exclude.names: *-mirror');
    expect(why({ exclude: { topics: ['old*'] } }, { topics: ['older'] })).toBe(
      'exclude.topics: it has the topic older',
    );
    expect(why({ include: { topics: ['service'] } })).toBe('include.topics: it has none of them');
    expect(why({ include: { topics: ['service'] } }, { topics: ['service'] })).toBeUndefined();
    expect(why({ include: { visibility: ['public'] } })).toBe('include.visibility: it is private');
    expect(why({ include: { names: ['acme/*'] } })).toBeUndefined();
  });
});
