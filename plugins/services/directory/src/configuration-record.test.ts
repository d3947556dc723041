import { Audit } from '@sextant/contracts';
import type { AuditEvent } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { definePlugin } from '@sextant/core';
import { startPlugins } from '@sextant/core/testing';
import { testDatabase } from '@sextant/service-postgres/testing';
import { expect, it } from 'vitest';
import plugin from './index.ts';

/** What is recorded when the server starts with a configuration. */
async function recorded(dataFolder: string, config: object): Promise<AuditEvent[]> {
  const events: AuditEvent[] = [];
  const audit = definePlugin({
    name: 'test-audit',
    provides: { audit: Audit },
    start: async () => ({
      audit: { value: { record: (event) => void events.push(event), list: async () => ({ events: [] }) } },
    }),
  });
  await using started = await startPlugins(dataFolder, [[testDatabase], [audit], [plugin, config]]);
  await started.ready();
  return events;
}

it('an edit of the configuration that changes who may do what is recorded, once', async () => {
  using folder = temporaryFolder();
  const team = { permissions: ['MCP#ACCESS'] };
  const before = { users: [{ name: 'alice', roles: ['team'] }, { name: 'bob' }], roles: { team } };
  const by = (target: string, detail: string, action = 'roles.changed'): AuditEvent => ({
    action,
    outcome: 'success',
    target,
    detail: `by the configuration: ${detail}`,
  });
  expect(await recorded(folder.path, before)).toEqual([
    by('alice', 'team'),
    by('bob', 'no custom role'),
    by('team', 'MCP#ACCESS', 'role.changed'),
  ]);
  expect(await recorded(folder.path, before)).toEqual([]);
  const after = {
    users: [{ name: 'alice', roles: ['team'], siteAdmin: true }],
    roles: { team, User: { permissions: [] } },
  };
  expect(await recorded(folder.path, after)).toEqual([
    by('alice', 'site administrator, team'),
    by('bob', 'not named there any more'),
    by('User', 'no permission', 'role.changed'),
  ]);
});
