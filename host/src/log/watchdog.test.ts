import { expect, test } from 'vitest';
import { start } from '../testing/run-sextant.ts';
import { configOf, scratch } from '../testing/scratch.ts';

const holding = `
import { existsSync } from 'node:fs'; import { Principals, defineAuthenticator, definePlugin, defineTool } from '@sextant/core'; import { callerOf } from '@sextant/core/testing'; import { z } from 'zod';
const anyone = defineAuthenticator({ name: 'anyone', needs: {}, authenticate: async () => callerOf('ann') });
function spin() {
  while (!existsSync('seen'));
}
const holds = defineTool({ name: 'holds', title: 'Holds', description: 'Holds the process.', endpoints: ['default'], needs: {}, input: z.object({}), output: z.object({}),
  run: async () => { spin(); return {}; }, toText: () => 'done' });
export default definePlugin({ name: 'holding', tools: [holds], authenticators: [anyone], provides: { users: Principals },
  start: async () => ({ users: { value: { named: async (name) => callerOf(name) } } }) });`;

test('a tool that holds the process is named with the line that runs, and the process goes on', async () => {
  await using place = await scratch();
  const file = await place.write('holding.ts', holding);
  await place.write('sextant.config.json', configOf({ './holding.ts': {} }));
  await using server = start(['serve', '--port', '0'], { cwd: place.folder });
  const [, url = ''] = await server.untilWritten('stdout', /^Sextant serves (\S+)\n/);
  const answer = fetch(`${url}/.api/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'holds', arguments: {} } }),
  });
  await expect.poll(() => server.written.stderr).toContain('the process is held for');
  await place.write('seen', '');
  const line = server.written.stderr.split('\n').find((text) => text.includes('the process is held for')) ?? '';
  expect(JSON.parse(line)).toMatchObject({ level: 'error', msg: expect.stringContaining('tools in flight: holds') });
  expect(line).toContain(`${file}:`);
  expect(line).toContain('(spin)');
  expect((await answer).status).toBe(200);
  await expect.poll(() => server.written.stderr).toContain('the process goes on');
});
