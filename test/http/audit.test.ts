import { Audit } from '@sextant/contracts';
import type { RecordedEvent } from '@sextant/contracts';
import { expect, test } from 'vitest';
import { loadPreset } from '../support/preset.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const names = [
  'service-sqlite',
  'service-directory',
  'service-sessions',
  'service-audit',
  'service-usage',
  'auth-access-token',
  'page-access-tokens',
  'report-user-registry',
];
const plugins = await loadPreset(names);

const ask = (server: TestServer, path: string, headers: Record<string, string>, method = 'GET'): Promise<Response> =>
  fetch(server.url + path, { method, headers: { 'user-agent': 'agent/1.0', ...headers } });

const events = async (server: TestServer): Promise<readonly RecordedEvent[]> =>
  (await server.serving.current.assembly.services.resolve({ audit: Audit }).audit.list({ limit: 100 })).events;

test('every refused call is recorded, with who asked, from where, with which client, and why', async () => {
  await using server = await startServer({ plugins });
  const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
  const refusals = [
    ['/.api/mcp', bearer('outsider-token'), 403, 'outsider', 'forbidden: forbidden'],
    [
      '/.api/mcp/all',
      bearer('analyst-token'),
      403,
      'analyst',
      'insufficient_scope: this needs a token with the scope "mcp"',
    ],
    ['/.api/mcp', bearer('sxt_wrong'), 401, undefined, expect.stringMatching(/^unauthenticated: /)],
    ['/access-tokens', bearer('analyst-token'), 403, 'analyst', expect.stringMatching(/^insufficient_scope: /)],
    [
      '/api/reports/user-registry?instanceURL=elsewhere.example',
      bearer('alice-token'),
      403,
      'alice',
      expect.stringMatching(/^forbidden: /),
    ],
    [
      '/.api/mcp',
      { origin: 'https://evil.example' },
      403,
      undefined,
      expect.stringMatching(/^forbidden: requests from pages of that Origin/),
    ],
  ] as const;
  for (const [path, headers, status] of refusals)
    expect([path, (await ask(server, path, headers)).status]).toEqual([path, status]);
  // Who shows nothing only asks how to sign in.
  expect((await ask(server, '/.api/mcp', {})).status).toBe(401);

  expect((await events(server)).toReversed()).toEqual(
    refusals.map(([path, , , actor, detail]) => ({
      id: expect.any(Number),
      time: expect.any(String),
      action: 'call.refused',
      outcome: 'failure',
      address: '127.0.0.1',
      target: path.split('?')[0],
      detail,
      ...(actor !== undefined && { actor: { id: expect.any(Number), name: actor }, client: 'agent' }),
    })),
  );
});

test('behind a proxy that is trusted the address is that of the client, and otherwise nobody is believed', async () => {
  await using server = await startServer({ plugins });
  const headers = { authorization: 'Bearer outsider-token', 'x-forwarded-for': '198.51.100.7, 203.0.113.9' };
  await ask(server, '/.api/mcp', headers);
  await server.reload({ plugins, settings: { trustedProxies: ['127.0.0.0/8'] } });
  await ask(server, '/.api/mcp', headers);
  expect((await events(server)).map(({ address }) => address)).toEqual(['203.0.113.9', '127.0.0.1']);
});
