import { silentLogger } from '@sextant/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineSourceType } from '@sextant/contracts';
import { readSources } from './config.ts';
import { emptySource } from './testing/fake-source.ts';

const types = [
  defineSourceType({
    type: 'gitea',
    config: z.object({ url: z.url() }),
    open: ({ url }) => emptySource(new URL(url).host, { cloneOrigins: [new URL(url).origin] }),
  }),
];

types.push(
  defineSourceType({
    type: 'plain',
    config: z.object({ url: z.url() }),
    open: ({ url }) => {
      const { sshHosts: _none, ...source } = emptySource(new URL(url).host);
      return source;
    },
  }),
);

const read = (sources: readonly object[]) =>
  readSources({ sources: sources.map((each) => ({ type: 'gitea', ...each })) }, types, { log: silentLogger });

describe('the sources of a configuration', () => {
  it('are called after their host, or as the operator says', () => {
    const { sources, mistakes } = read([{ url: 'https://a.example' }, { url: 'https://a.example', name: 'second' }]);
    expect(mistakes).toEqual([]);
    expect(sources.map(({ name }) => name)).toEqual(['a.example', 'second']);
  });

  it('are refused with everything that is wrong with them', () => {
    const { mistakes } = read([
      { type: 'gitee' },
      { url: 'https://a.example', permision: 'sync' },
      { url: 7, permissions: 'all' },
      { url: 'https://b.example' },
      { url: 'https://b.example' },
      { url: 'https://c.example', type: 'plain', ssh: 'account' },
      { url: 'https://d.example', sshHost: 'ssh.d.example' },
      { url: 'https://e.example', ssh: { key: '/etc/key', knownHosts: 'e.example ssh-ed25519 AAAA' } },
      { url: 'https://f.example', ssh: 'account', credentialHelper: 'store' },
      { url: 'http://g.example', credentialHelper: 'store' },
      { url: 'https://h.example', credentialHelper: '!cat /etc/passwd' },
    ]);
    expect(mistakes.map(({ path, text }) => `${path.join('.')}: ${text}`)).toEqual([
      'sources.0.type: there is no type "gitee". Did you mean "gitea"? Known: gitea, plain',
      expect.stringContaining('sources.1.permision: unknown key. Did you mean "permissions"? Allowed are type, name,'),
      expect.stringContaining('sources.2.permissions: Invalid option: expected one of "none"|"sync"'),
      expect.stringContaining('sources.2.url: Invalid input'),
      'sources.4: two sources are called "b.example"; give one of them a "name" of its own',
      'sources.5.ssh: a source of the type plain tells no ssh URLs',
      'sources.6.sshHost: is for a source with "ssh"',
      expect.stringContaining('sources.7.ssh.key: must be a private key as ssh-keygen writes it'),
      'sources.8.credentialHelper: is for a source without "ssh"',
      'sources.9.credentialHelper: is for a host of https alone',
      expect.stringContaining('sources.10.credentialHelper: must be a helper of git such as'),
    ]);
  });
});
