import { Audit, Database, Directory, Sessions, SignInLinks } from '@sextant/contracts';
import { defineAuthenticator, definePlugin, optional } from '@sextant/core';
import { z } from 'zod';
import { BrowserSessions } from './browser-sessions.ts';
import { pages } from './pages.ts';
import { SessionStore } from './session-store.ts';
import { StoredSignInLinks, signInLinks, userLink } from './sign-in-links.ts';
import { migrations } from './tables.ts';
import type { SessionTables } from './tables.ts';

const dayMs = 86_400_000;

const authenticator = defineAuthenticator({
  name: 'session',
  needs: { sessions: Sessions, links: signInLinks },
  isAmbient: true,
  async authenticate({ headers }, { sessions }) {
    const session = await sessions.find(headers);
    return session && sessions.callerOf(session);
  },
  firstSignIn: ({ links }) => links.makeFirst(),
});

export default definePlugin({
  name: 'service-sessions',
  config: z.object({
    idleDays: z.number().positive().max(365).default(7).describe('Days without a request after which a session ends'),
    absoluteDays: z.number().positive().max(365).default(30).describe('Days after which everyone must sign in again'),
  }),
  needs: { database: Database, directory: Directory, audit: optional(Audit) },
  provides: { sessions: Sessions, links: signInLinks, made: SignInLinks },
  authenticators: [authenticator],
  commands: [userLink],
  pages,
  async start({ idleDays, absoluteDays }, { database, directory, audit }, { externalURL }) {
    const lifetime = { idleMs: idleDays * dayMs, absoluteMs: absoluteDays * dayMs };
    const db = await database.open<SessionTables>({ name: 'session', migrations });
    const store = new SessionStore(db, lifetime);
    const links = new StoredSignInLinks({ db, directory, audit, externalURL });
    return {
      sessions: { value: new BrowserSessions({ store, directory, externalURL, lifetime }) },
      links: { value: links },
      made: { value: links },
    };
  },
});
