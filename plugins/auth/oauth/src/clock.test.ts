import { temporaryFolder } from '@sextant/contracts/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { begin, clientId, connect, consent, exchange, post } from './testing/client.ts';
import { startOAuth } from './testing/start-oauth.ts';
import type { StartedOAuth } from './testing/start-oauth.ts';

const minute = 60_000;
const day = 86_400_000;
const year = 365 * day;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const jump = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

async function started(work: (server: StartedOAuth) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  await using server = await startOAuth(folder.path);
  await work(server);
}

const renew = async (server: StartedOAuth, { id, refresh }: { id: string; refresh: string }): Promise<number> =>
  (await post(server, 'token', { grant_type: 'refresh_token', client_id: id, refresh_token: refresh })).status;

it.each([-year, -day, day, year])('a clock that jumps by %d ms keeps nobody from connecting anew', (ms) =>
  started(async (server) => {
    const { id } = await connect(server);
    jump(ms);
    const { access } = await connect(server);
    expect(await server.show(access)).toBeDefined();
    // Nor with the client and the consent of before.
    expect(await server.show((await connect(server, { id })).access)).toBeDefined();
  }),
);

it.each([-year, -day])('what was issued under a clock that went back by %d ms since is good for nothing', (ms) =>
  started(async (server) => {
    const tokens = await connect(server);
    const flow = begin(await clientId(server));
    const code = (await consent(server, flow)).url.searchParams.get('code') ?? '';
    jump(ms);
    expect(await server.show(tokens.access)).toBeUndefined();
    expect((await post(server, 'token', exchange(flow, code))).body['error']).toBe('invalid_grant');
    expect(await renew(server, tokens)).toBe(400);
    // When its time has come again, it is what it was.
    jump(-ms + minute);
    expect(await server.show(tokens.access)).toBeDefined();
  }),
);

it('what was refused because it had expired stays so when the clock goes back', () =>
  started(async (server) => {
    const [tokens, other] = [await connect(server), await connect(server)];
    const flow = begin(await clientId(server));
    const code = (await consent(server, flow)).url.searchParams.get('code') ?? '';
    jump(2 * minute);
    expect((await post(server, 'token', exchange(flow, code))).status).toBe(400);
    jump(-2 * minute);
    expect((await post(server, 'token', exchange(flow, code))).status).toBe(400);
    jump(61 * minute);
    expect(await server.show(tokens.access)).toBeUndefined();
    jump(-60 * minute);
    expect(await server.show(tokens.access)).toBeUndefined();
    jump(31 * day);
    expect(await renew(server, tokens)).toBe(400);
    jump(-30 * day);
    expect([await renew(server, tokens), await renew(server, other)]).toEqual([400, 200]);
  }));

it('an access token ends an hour after it was issued though the clock is put back a little', () =>
  started(async (server) => {
    const { access } = await connect(server);
    jump(-4 * minute);
    expect(await server.show(access)).toBeDefined();
    jump(64 * minute);
    expect(await server.show(access)).toBeUndefined();
  }));
