import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { serveTwoRepositories } from '../server/two-repositories.ts';
import { call, post } from '../support/rpc.ts';

/** Longer than a token takes to be revoked, and shorter than a script may take. */
const script = `local found
for i = 1, 60 do found = search.keyword('export ' .. i) end
while true do end`;

test('a token that is revoked while its call runs: the next call is refused at once, the running one ends in its time', async () => {
  await using server = await serveTwoRepositories();
  const bearer = { authorization: `Bearer ${server.aliceToken}`, 'content-type': 'application/json' };
  const api = `${server.url}/api/access-tokens`;
  const created = await fetch(api, { method: 'POST', headers: bearer, body: '{"name":"agent","scopes":["mcp"]}' });
  const { token, id } = (await created.json()) as { token: string; id: number };
  let hasEnded = false;
  const running = post(server.url, call('evaluator', { script }), { token }).then(async (response) => {
    hasEnded = true;
    return response.text();
  });
  // A second call of the token while the first one runs shows that the token was good until now.
  expect((await post(server.url, call('list_repos', { query: '' }), { token })).status).toBe(200);
  expect((await fetch(`${api}/${id}`, { method: 'DELETE', headers: bearer })).status).toBe(204);
  expect((await post(server.url, call('list_repos', { query: '' }), { token })).status).toBe(401);
  expect(hasEnded).toBe(false);
  const ended = await running;
  expect(ended).toContain('"isError":true');
  expect(ended).not.toContain('secret');
});

/** What it read stands in its answer, also where it comes to no end. */
const reading = `print(source.read_file{repo='secret', path='README.md'}.text)
while true do end`;

test('a role that is taken while a script of its member runs: the script is stopped, and nothing that it read is answered', async () => {
  await using server = await serveTwoRepositories();
  server.run('user', 'add', 'eve');
  const token = server.run('token', 'create', '--user', 'eve');
  server.run('user', 'roles', 'eve', '--role', 'team');
  const run = async (): Promise<string> =>
    (await post(server.url, call('evaluator', { script: reading }), { token })).text();
  expect(await run()).toContain('# secret');
  const running = run();
  // Commands are waited for without a turn of the event loop: the request is to be sent before.
  await setTimeout(1000);
  server.run('user', 'roles', 'eve');
  const ended = await running;
  expect(ended).toContain('"isError":true');
  expect(ended).toContain('what you may do changed');
  expect(ended).not.toContain('# secret');
});
