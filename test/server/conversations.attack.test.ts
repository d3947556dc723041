import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { call, post } from '../support/rpc.ts';
import { serveTwoRepositories } from './two-repositories.ts';
import type { TwoRepositories } from './two-repositories.ts';

const root = '/.api/deepsearch/v1/conversations';

interface Conversation {
  identifier: string;
  status: string;
  turns: { answer?: string; withheldSources: number; sources: { url: string }[] }[];
}

function api({ url }: TwoRepositories, token: string) {
  return async (path: string, body?: object): Promise<Conversation> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
    const response = await fetch(`${url}${root}${path}`, init);
    return (await response.json()) as Conversation;
  };
}

async function finished(server: TwoRepositories, { identifier }: Conversation): Promise<Conversation> {
  const read = api(server, server.adminToken);
  for (;;) {
    const seen = await read(`/${identifier}`);
    if (!/queued|processing/.test(seen.status)) return seen;
    await setTimeout(100);
  }
}

test('a shared conversation is filtered for its reader, in the tool, the API and the page alike', async () => {
  await using server = await serveTwoRepositories();
  const ask = api(server, server.adminToken);
  const asked = await ask('', { question: 'In open and in secret: the exported constant' });
  const own = await finished(server, asked);
  expect(own.turns[0]).toMatchObject({ withheldSources: 0 });
  expect(own.turns[0]?.sources.map(({ url }) => new URL(url).pathname.split(/[@/]/)[1]).toSorted()).toEqual(
    expect.arrayContaining(['open', 'secret']),
  );
  await ask(`/${asked.identifier}/share`, { isShared: true });

  const forAlice = await api(server, server.aliceToken)(`/${asked.identifier}`);
  expect(forAlice.turns[0]?.answer).toContain('in repositories that you may not read');
  const tool = await post(server.url, call('deepsearch_read', { identifier: asked.identifier }), {
    token: server.aliceToken,
  });
  const headers = { authorization: `Bearer ${server.aliceToken}` };
  const page = await fetch(`${server.url}/deepsearch/shared/${asked.identifier}`, { headers });
  const markdown = await fetch(`${server.url}/deepsearch/shared/${asked.identifier}.md`, { headers });
  for (const text of [
    JSON.stringify(forAlice.turns[0]?.answer),
    await tool.text(),
    await page.text(),
    await markdown.text(),
  ]) {
    expect(text).toContain('/open');
    // The question itself is its author's; everything else of the hidden repository is gone.
    expect(text.replaceAll('In open and in secret', '')).not.toContain('secret');
  }
});

test('one that is not shared, or was unshared, is answered like one that does not exist', async () => {
  await using server = await serveTwoRepositories();
  const ask = api(server, server.adminToken);
  const { identifier } = await finished(server, await ask('', { question: 'In secret: the exported constant' }));
  await ask(`/${identifier}/share`, { isShared: true });
  await ask(`/${identifier}/share`, { isShared: false });
  const absent = 'k'.repeat(32);
  const forAlice = api(server, server.aliceToken);
  expect(await forAlice(`/${identifier}`)).toEqual(await forAlice(`/${absent}`));
  const toolAnswer = async (given: string): Promise<string> =>
    (await post(server.url, call('deepsearch_read', { identifier: given }), { token: server.aliceToken })).text();
  expect(await toolAnswer(identifier)).toBe(await toolAnswer(absent));
});

test('a question survives kill -9: it is answered after the restart', async () => {
  await using server = await serveTwoRepositories();
  const asked = await api(server, server.adminToken)('', { question: 'In open: the exported constant' });
  const exited = once(server.process, 'exit');
  server.process.kill('SIGKILL');
  await exited;
  await server.restart();
  expect(await finished(server, asked)).toMatchObject({ status: 'completed' });
});
