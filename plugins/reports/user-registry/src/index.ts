import { Usage, instanceURL } from '@sextant/contracts';
import { definePlugin, defineReport } from '@sextant/core';
import { z } from 'zod';

export const userRegistry = defineReport({
  name: 'user-registry',
  path: '/api/reports/user-registry',
  query: z.object({ instanceURL }),
  needs: { usage: Usage },
  columns: () => ['Instance user ID', 'Service Account', 'Site Admin'],
  async *rows({ instanceURL: instance }, { usage }, { caller }) {
    const users = await (await usage.open(caller, instance)).users();
    yield users.map(({ id, isServiceAccount, isSiteAdmin }) => [id, isServiceAccount, isSiteAdmin]);
  },
});

export default definePlugin({ name: 'report-user-registry', reports: [userRegistry] });
