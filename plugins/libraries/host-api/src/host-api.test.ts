import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HostApi } from './host-api.ts';
import { lastDue } from './moments.ts';
import { RequestBudget } from './request-budget.ts';
import { isSignedBy } from './signature.ts';

const { signal } = new AbortController();
const schema = z.object({ login: z.string() });
const secret = 'a-token-that-nobody-may-see';

interface Served extends AsyncDisposable {
  readonly api: HostApi;
  readonly url: string;
}

async function serve(listener: RequestListener): Promise<Served> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const headers = async () => ({ authorization: `token ${secret}` });
  return {
    url,
    api: new HostApi({ baseURL: url, headers, secrets: () => [secret] }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const user = { path: '/user', schema, waits: false, signal };

describe('reading from a code host', () => {
  it('asks with the token, and without it where that is wanted', async () => {
    await using served = await serve(({ headers }, response) =>
      response.end(JSON.stringify({ login: headers.authorization ?? 'nobody' })),
    );
    expect((await served.api.read(user)).value).toEqual({ login: `token ${secret}` });
    expect((await served.api.read({ ...user, signsIn: false })).value).toEqual({ login: 'nobody' });
  });

  it('says what went wrong in words without a secret', async () => {
    await using served = await serve(({ url }, response) => {
      const status = Number(/status=(\d+)/.exec(url ?? '')?.[1]);
      response.writeHead(status, { location: 'http://elsewhere.example/x' }).end(`{"message":"no ${secret}\\u001b"}`);
    });
    const tell = async (status: number): Promise<string> =>
      served.api.read({ ...user, query: { status } }).then(
        () => '',
        (error: Error & { code: string }) => `${error.code}: ${error.message}`,
      );
    const host = served.url.replace('http://', '');
    expect(await tell(401)).toBe(`unauthenticated: ${host} does not accept the token: no ***\\u001b (GET /user)`);
    expect(await tell(403)).toContain(`forbidden: ${host} does not allow that with this token`);
    expect(await tell(404)).toContain(`not_found: ${host} knows nothing there`);
    expect(await tell(302)).toContain(`unavailable: ${host} leads to http://elsewhere.example; if that is meant`);
    expect(await tell(500)).toContain(`unavailable: ${host} answered 500: no ***`);
  });

  it('says that a port speaks no TLS, in place of what OpenSSL says', async () => {
    await using served = await serve((_request, response) => response.end('{}'));
    const baseURL = served.url.replace('http:', 'https:');
    const api = new HostApi({ baseURL, headers: async () => ({}), secrets: () => [] });
    await expect(api.read(user)).rejects.toThrow(
      'cannot be reached: it speaks no TLS there; its address may begin with http://, or have another port (GET /user)',
    );
  });

  it('says where an answer is not what the API promises, and does not quote it', async () => {
    await using served = await serve((_request, response) => response.end('{"login": 7}'));
    await expect(served.api.read(user)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('login: Invalid input'),
    });
  });

  it('ends an answer that is too large', async () => {
    await using served = await serve((_request, response) => {
      const piece = Buffer.alloc(1024 * 1024, 'x');
      for (let count = 0; count < 20; count += 1) response.write(piece);
      response.end();
    });
    await expect(served.api.read(user)).rejects.toThrow('more than 16777216 bytes');
  });

  it('asks whether something changed, and takes what it had where nothing did', async () => {
    const asked: (string | undefined)[] = [];
    await using served = await serve(({ headers }, response) => {
      asked.push(headers['if-none-match']);
      if (headers['if-none-match'] === '"one"') response.writeHead(304).end();
      else response.writeHead(200, { etag: '"one"', 'x-total-count': '7' }).end('{"login":"ann"}');
    });
    const answers = [await served.api.read(user), await served.api.read(user)];
    expect(answers.map(({ value }) => value.login)).toEqual(['ann', 'ann']);
    expect(answers[1]?.headers.get('x-total-count')).toBe('7');
    expect(asked).toEqual([undefined, '"one"']);
  });

  it('follows pages to where the host says that they continue, and nowhere else', async () => {
    await using served = await serve(({ url = '', headers }, response) => {
      const page = Number(/page=(\d)/.exec(url)?.[1] ?? 1);
      const next = page === 3 ? 'http://elsewhere.example' : `http://${headers.host}`;
      const link = `<${next}/users?page=${page + 1}>; rel="next", <${next}/users?page=9>; rel="last"`;
      response.writeHead(200, { ...(!url.includes('last') && { link }) }).end(`{"login":"${url}"}`);
    });
    const logins: string[] = [];
    const follow = async (query: Record<string, number>) => {
      for await (const { value } of served.api.pages({ ...user, query })) logins.push(value.login);
    };
    await expect(follow({ per: 2 })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('continues at http://elsewhere.example; if that is meant'),
    });
    expect(logins).toEqual(['/user?per=2', '/users?page=2', '/users?page=3']);
    await follow({ last: 1 });
    expect(logins).toHaveLength(4);
  });

  it('sends a body as JSON, and does not take an old answer for it', async () => {
    const asked: string[] = [];
    await using served = await serve(async (request, response) => {
      let text = '';
      for await (const piece of request) text += String(piece);
      asked.push(`${request.method} ${request.headers['content-type']} ${request.headers['if-none-match']} ${text}`);
      response.writeHead(201, { etag: '"one"' }).end('{"login":"ann"}');
    });
    for (const id of [1, 2]) await served.api.read({ ...user, body: { id } });
    expect(asked).toEqual(['POST application/json undefined {"id":1}', 'POST application/json undefined {"id":2}']);
  });

  it('pauses what the host counts apart, and all of it at a limit that it says in words', async () => {
    await using served = await serve(({ url }, response) => {
      if (url === '/search') response.writeHead(200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '600' });
      if (url === '/many') response.writeHead(403);
      response.end('{"login":"ann","message":"You have exceeded a secondary rate limit."}');
    });
    const search = { ...user, path: '/search', quota: 'search' };
    await served.api.read(search);
    await expect(served.api.read(search)).rejects.toMatchObject({ code: 'exhausted', retryAfterSeconds: 600 });
    await served.api.read(user);
    await expect(served.api.read({ ...user, path: '/many' })).rejects.toMatchObject({ retryAfterSeconds: 60 });
    await expect(served.api.read(user)).rejects.toMatchObject({ code: 'exhausted' });
  });

  it('sends nothing until the host takes requests again', async () => {
    let asked = 0;
    await using served = await serve((_request, response) => {
      asked += 1;
      response.writeHead(429, { 'retry-after': '1800' }).end('{}');
    });
    await expect(served.api.read(user)).rejects.toMatchObject({ code: 'exhausted', retryAfterSeconds: 1800 });
    await expect(served.api.read(user)).rejects.toMatchObject({ code: 'exhausted' });
    expect(asked).toBe(1);
  });

  it('stops before the host has to refuse, and counts by what GitHub says', async () => {
    let asked = 0;
    await using served = await serve((_request, response) => {
      asked += 1;
      const reset = Math.ceil(Date.now() / 1000) + 600;
      response.writeHead(200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }).end('{"login":"ann"}');
    });
    await served.api.read(user);
    await expect(served.api.read(user)).rejects.toMatchObject({ code: 'exhausted' });
    expect(asked).toBe(1);
  });
});

describe('a budget of requests', () => {
  it('allows so many in any hour', async () => {
    let now = 0;
    const budget = new RequestBudget(2, () => now);
    const take = () => budget.take({ waits: false, signal });
    await take();
    now = 1_800_000;
    await take();
    await expect(take()).rejects.toMatchObject({ retryAfterSeconds: 1800 });
    now = 3_600_000;
    const waits: number[] = [];
    await budget.take({ waits: true, signal, onWait: (seconds) => waits.push(seconds) });
    expect(waits).toEqual([]);
    await expect(take()).rejects.toMatchObject({ code: 'exhausted' });
  });

  it('leaves a quarter of them to requests that cannot wait', async () => {
    const budget = new RequestBudget(100, () => 0);
    for (let sent = 0; sent < 75; sent += 1) await budget.take({ waits: true, signal });
    const ending = new AbortController();
    const onWait = (): void => ending.abort(new Error('the server stops'));
    await expect(budget.take({ waits: true, signal: ending.signal, onWait })).rejects.toThrow();
    for (let sent = 0; sent < 25; sent += 1) await budget.take({ waits: false, signal });
    await expect(budget.take({ waits: false, signal })).rejects.toMatchObject({ retryAfterSeconds: 3600 });
  });

  it('leaves a tenth of them to requests that can wait', async () => {
    const budget = new RequestBudget(100, () => 0);
    for (let sent = 0; sent < 90; sent += 1) await budget.take({ waits: false, signal });
    await expect(budget.take({ waits: false, signal })).rejects.toMatchObject({ retryAfterSeconds: 3600 });
    for (let sent = 0; sent < 10; sent += 1) await budget.take({ waits: true, signal });
    const ending = new AbortController();
    const onWait = (): void => ending.abort(new Error('the server stops'));
    await expect(budget.take({ waits: true, signal: ending.signal, onWait })).rejects.toThrow();
  });
});

it('tells how long requests wait for the host, and ends with the signal', async () => {
  const budget = new RequestBudget(undefined, () => 0);
  budget.pause(600_000);
  const ending = new AbortController();
  const waits: number[] = [];
  const onWait = (seconds: number): void => {
    waits.push(seconds);
    ending.abort(new Error('the server stops'));
  };
  await expect(budget.take({ waits: true, signal: ending.signal, onWait })).rejects.toThrow();
  expect(waits).toEqual([600]);
});

describe('the signature of a message', () => {
  // From RFC 4231, test case 2.
  const body = Buffer.from('what do ya want for nothing?');
  const signature = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';

  it('is good for the secret and the body that it was made of', () => {
    expect(isSignedBy('Jefe', body, signature)).toBe(true);
    for (const bad of [null, '', 'x', signature.slice(2), `${signature}00`, signature.replace('5', '6')])
      expect(isSignedBy('Jefe', body, bad)).toBe(false);
    expect(isSignedBy('jefe', body, signature)).toBe(false);
  });
});

it('says when something was due last that is due once in each period, for each id at another time', () => {
  const hour = 3_600_000;
  const now = Date.UTC(2026, 6, 1, 12);
  const moments = Array.from({ length: 50 }, (_, id) => lastDue(String(id), hour, now));
  for (const at of moments) expect(now - at).toBeLessThan(hour);
  expect(new Set(moments).size).toBe(50);
  expect(lastDue('1', hour, now + hour) - lastDue('1', hour, now)).toBe(hour);
  expect(lastDue('1', hour, lastDue('1', hour, now))).toBe(lastDue('1', hour, now));
});
