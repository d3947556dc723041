import { Database, Directory, Sessions } from '@sextant/contracts';
import { defineAuthenticator, definePlugin } from '@sextant/core';
import { z } from 'zod';
import { BrowserSessions } from './browser-sessions.ts';
import { pages } from './pages.ts';
import { SessionStore } from './session-store.ts';
import { migrations } from './tables.ts';
import type { SessionTables } from './tables.ts';

const dayMs = 86_400_000;

const authenticator = defineAuthenticator({
  name: 'session',
  needs: { sessions: Sessions },
  isAmbient: true,
  async authenticate({ headers }, { sessions }) {
    const session = await sessions.find(headers);
    return session && sessions.callerOf(session);
  },
});

export default definePlugin({
  name: 'service-sessions',
  config: z.object({
    idleDays: z.number().positive().max(365).default(7).describe('Days without a request after which a session ends'),
    absoluteDays: z.number().positive().max(365).default(30).describe('Days after which everyone must sign in again'),
  }),
  needs: { database: Database, directory: Directory },
  provides: { sessions: Sessions },
  authenticators: [authenticator],
  pages,
  async start({ idleDays, absoluteDays }, { database, directory }, { externalURL }) {
    const lifetime = { idleMs: idleDays * dayMs, absoluteMs: absoluteDays * dayMs };
    const store = new SessionStore(await database.open<SessionTables>({ name: 'session', migrations }), lifetime);
    return { sessions: { value: new BrowserSessions({ store, directory, externalURL, lifetime }) } };
  },
});
