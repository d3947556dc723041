import { once } from 'node:events';
import { H3, serve } from 'h3';
import { expect, test } from 'vitest';
import { whenClosed } from './request-context.ts';

test('what waits for the end of an answer learns of a client that had gone before it began to wait', async () => {
  const begun = Promise.withResolvers<void>();
  const learned = Promise.withResolvers<boolean>();
  const app = new H3().all('/**', async (event) => {
    begun.resolve();
    const response = event.runtime?.node?.res;
    if (response) await once(response, 'close');
    whenClosed(event, learned.resolve);
    return '';
  });
  const server = serve(app, { port: 0, hostname: '127.0.0.1', silent: true, gracefulShutdown: false });
  await server.ready();
  const going = new AbortController();
  const asking = fetch(server.url ?? '', { signal: going.signal }).catch(() => 'gone');
  await begun.promise;
  going.abort();
  expect(await asking).toBe('gone');
  expect(await learned.promise, 'the answer was not completely sent').toBe(false);
  await server.close(true);
});
