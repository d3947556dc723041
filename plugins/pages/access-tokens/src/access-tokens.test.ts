import { AccessTokens, Directory, Sessions } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { silentLogger } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import tokensPlugin from '@sextant/auth-access-token';
import directory from '@sextant/service-directory';
import sessionsPlugin from '@sextant/service-sessions';
import sqlite from '@sextant/service-sqlite';
import { describe, expect, it } from 'vitest';
import plugin from './index.ts';

const origin = 'http://localhost';

/** All that is needed, as a process of its own, and the browser of the administrator. */
async function start(dataFolder: string) {
  const started = await startPlugins(dataFolder, [[sqlite], [directory], [sessionsPlugin], [tokensPlugin], [plugin]]);
  const services = started.services.resolve({ sessions: Sessions, tokens: AccessTokens, directory: Directory });
  const { id: adminId = 0 } = (await services.directory.find('admin')) ?? {};
  const caller = callerOf('admin', { id: adminId });
  const cookie = (await services.sessions.begin(adminId, new Request(origin))).split(';')[0] ?? '';
  const { csrfToken } = await services.sessions.formToken(new Request(origin, { headers: { cookie } }));
  const send = (path: string, init: RequestInit = {}): Promise<Response> => {
    const request = new Request(`${origin}${path}`, init);
    const pattern = path.replace(/\/\d+$/, '/:id');
    const page = plugin.pages.find((each) => each.method === request.method && each.path === pattern);
    if (!page) throw new Error(`there is no page ${request.method} ${path}`);
    return page.respond(request, started.services.resolve(page.needs), {
      caller,
      endpoint: page.path,
      signal: request.signal,
      log: silentLogger,
      reportProgress() {},
    });
  };
  const submit = (path: string, fields: readonly (readonly [string, string])[]): Promise<Response> => {
    const body = new URLSearchParams([['csrf', csrfToken], ...fields.map(([name, value]) => [name, value])]);
    return send(path, { method: 'POST', body, headers: { origin, host: 'localhost', cookie } });
  };
  return { ...started, ...services, caller, send, submit };
}

const secretIn = (text: string): string => /sxt_[0-9a-f]{40}/.exec(text)?.[0] ?? 'no secret';

describe('the page', () => {
  it('shows a new token once, and from then on what it is for', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    expect(await (await started.send('/access-tokens')).text()).toContain('You have no access tokens yet.');
    const fields = [
      ['name', ' laptop '],
      ['scope', 'mcp'],
      ['scope', 'analytics'],
      ['expires', '30d'],
    ] as const;
    const created = await started.submit('/access-tokens', fields);
    const secret = secretIn(await created.text());
    expect([created.status, created.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await started.authenticate({ authorization: `Bearer ${secret}` })).toMatchObject({
      user: { name: 'admin' },
      scopes: new Set(['mcp', 'analytics']),
    });
    const text = await (await started.send('/access-tokens')).text();
    expect(text).toContain('<strong>laptop</strong>');
    expect(text).not.toContain('sxt_');
  });

  it('revokes a token at once', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    const { id, secret } = await started.tokens.create(started.caller, { name: '', scopes: ['mcp'] });
    const response = await started.submit('/access-tokens/revoke', [['id', String(id)]]);
    expect([response.status, response.headers.get('location')]).toEqual([303, '/access-tokens']);
    expect(await started.authenticate({ authorization: `Bearer ${secret}` })).toBeUndefined();
  });

  it('explains what was wrong, and creates nothing', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    for (const [path, fields, problem] of [
      ['/access-tokens', [['expires', '90d']], 'choose at least one scope'],
      [
        '/access-tokens',
        [
          ['scope', 'root'],
          ['expires', '90d'],
        ],
        'choose at least one scope',
      ],
      [
        '/access-tokens',
        [
          ['scope', 'mcp'],
          ['expires', '900d'],
        ],
        'choose when',
      ],
      ['/access-tokens/revoke', [['id', '7']], 'you have no token 7'],
    ] as const) {
      const response = await started.submit(path, fields);
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(problem)]);
    }
    expect(await started.tokens.list(started.caller)).toEqual([]);
  });

  it('does nothing for a form without its token', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    const body = new URLSearchParams({ scope: 'all', expires: 'never', csrf: 'forged' });
    const response = await started.send('/access-tokens', {
      method: 'POST',
      body,
      headers: { origin, host: 'localhost' },
    });
    expect([response.status, (await response.text()).includes('sxt_')]).toEqual([403, false]);
    expect(await started.tokens.list(started.caller)).toEqual([]);
  });

  it('escapes the name of a token', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    await started.tokens.create(started.caller, { name: '"><script>alert(1)</script>', scopes: ['mcp'] });
    expect(await (await started.send('/access-tokens')).text()).not.toContain('<script>');
  });
});

describe('the API for scripts', () => {
  it('creates, lists and revokes', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    const post = { method: 'POST', body: '{"name":"nightly","scopes":["mcp"],"expires":"90d"}' };
    const created = await started.send('/api/access-tokens', post);
    const { token, ...info } = (await created.json()) as { token: string; id: number };
    expect([created.status, token]).toEqual([201, expect.stringMatching(/^sxt_[0-9a-f]{40}$/)]);
    expect(await (await started.send('/api/access-tokens')).json()).toEqual({ tokens: [info] });
    expect((await started.send(`/api/access-tokens/${info.id}`, { method: 'DELETE' })).status).toBe(204);
    const again = started.send(`/api/access-tokens/${info.id}`, { method: 'DELETE' });
    await expect(again).rejects.toMatchObject({ code: 'not_found', message: `you have no token ${info.id}` });
  });

  it.each(['', 'x', '[]', '{"scopes":["root"]}', '{"scope":["mcp"]}', '{"name":7}'])(
    'refuses %j and says what is allowed',
    async (body) => {
      using folder = temporaryFolder();
      await using started = await start(folder.path);
      const refusal = started.send('/api/access-tokens', { method: 'POST', body });
      await expect(refusal).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('scopes'),
      });
    },
  );

  it('makes a token for everything, for ever, when nothing else is said', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    const created = await started.send('/api/access-tokens', { method: 'POST', body: '{}' });
    expect(await created.json()).toEqual({
      token: expect.any(String),
      id: expect.any(Number),
      name: '',
      scopes: ['all'],
      created: expect.any(String),
    });
  });
});
