import { randomUUID } from 'node:crypto';
import { SextantError } from '@sextant/core';
import type { BrowserSession, Sessions } from '../people/sessions.ts';

const cookieName = 'test_session';

/** Sessions in memory, for tests of what needs someone to be signed in. They know no directory: `callerOf` finds nobody. */
export function memorySessions(): Sessions {
  const sessions = new Map<string, BrowserSession>();
  const find = async (headers: Headers): Promise<BrowserSession | undefined> => {
    const [, id = ''] = new RegExp(`(?:^|; *)${cookieName}=([^;]*)`).exec(headers.get('cookie') ?? '') ?? [];
    return sessions.get(id);
  };
  return {
    ways: () => [],
    offer: () => () => {},
    find,
    callerOf: async () => undefined,
    async begin(userId) {
      const id = randomUUID();
      sessions.set(id, { userId, signedInAt: new Date().toISOString(), csrfToken: randomUUID() });
      return `${cookieName}=${id}; HttpOnly`;
    },
    async end() {
      sessions.clear();
      return `${cookieName}=; Max-Age=0`;
    },
    ofUser: async (userId) =>
      [...sessions.values()]
        .filter((session) => session.userId === userId)
        .map(({ signedInAt }) => ({ signedInAt, seenAt: signedInAt })),
    list: async () =>
      [...sessions.values()].map(({ userId, signedInAt }) => ({ userId, signedInAt, seenAt: signedInAt })),
    endAll: async () => sessions.clear(),
    async readForm(request) {
      const form = new URLSearchParams(await request.text());
      const session = await find(request.headers);
      if (session?.csrfToken !== form.get('csrf'))
        throw new SextantError('forbidden', 'this form is not of this server');
      return form;
    },
    formToken: async ({ headers }) => ({ csrfToken: (await find(headers))?.csrfToken ?? 'none' }),
  };
}
