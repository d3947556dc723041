import { expect, test } from 'vitest';
import { start } from '../testing/run-sextant.ts';
import { configOf, pluginSource, scratch } from '../testing/scratch.ts';

const access = `
import { Principals, defineAuthenticator, definePlugin } from '@sextant/core'; import { callerOf } from '@sextant/core/testing';
const anyone = defineAuthenticator({ name: 'anyone', needs: {}, authenticate: async () => callerOf('ann') });
export default definePlugin({ name: 'access', authenticators: [anyone], provides: { users: Principals },
  start: async () => ({ users: { value: { named: async (name) => callerOf(name) } } }) });`;

test.each([
  ["in the server's process", { trusted: true }],
  ['in a process of its own', { isolation: 'process' }],
])(
  '`serve --watch` loads a plugin again when a module of it is saved, and shows the line of a mistake: %s',
  async (_where, flags) => {
    await using place = await scratch();
    await place.write('access.ts', access);
    await place.write(
      'one.ts',
      pluginSource('one', '1').replace('"1"', 'answer').concat(`\nimport { answer } from './answer.ts';`),
    );
    await place.write('answer.ts', `export const answer: string = 'old';`);
    await place.write('sextant.config.json', configOf({ './access.ts': {}, './one.ts': flags }));
    await using server = start(['serve', '--port', '0', '--watch'], { cwd: place.folder });
    const [, url = ''] = await server.untilWritten('stdout', /^Sextant serves (\S+)\n/);
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'one', arguments: {} } };
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const answer = async (): Promise<string> =>
      (await fetch(`${url}/.api/mcp`, { method: 'POST', headers, body: JSON.stringify(call) })).text();
    const wait = { timeout: 20_000 };
    expect(await answer()).toContain('old');

    await place.write('answer.ts', `export const answer: string = 'newer';`);
    await expect.poll(answer, wait).toContain('newer');
    await expect.poll(() => server.written.stderr, wait).toContain('answer.ts changed: the plugin one loaded again');

    await place.write('answer.ts', `\nexport const answer: string = missing();`);
    await expect
      .poll(() => server.written.stderr, wait)
      .toContain(`${place.path('answer.ts')}:2 failed while loading: missing is not defined`);
    expect(await answer()).toContain('newer');
    await expect
      .poll(() => server.written.stderr, wait)
      .toContain('answer.ts changed: the plugin one as before, because of the mistake above');

    await place.write('answer.ts', `export const answer: string = 'mended';`);
    await expect.poll(answer, wait).toContain('mended');
  },
);
