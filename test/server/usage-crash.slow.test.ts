import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { startSextant } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';

const lanes = 4;

async function call({ url }: Started, token: string): Promise<void> {
  const params = { name: 'read_file', arguments: { repo: 'shop', path: 'a.ts' } };
  const response = await fetch(`${url}/.api/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  if (response.status !== 200) throw new Error(await response.text());
  await response.arrayBuffer();
}

async function recordedCalls({ url }: Started, token: string): Promise<number> {
  const query = `instanceURL=${url}&granularity=by_user&format=json`;
  const response = await fetch(`${url}/api/reports/by-user-client-date?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { rows } = (await response.json()) as { rows: { 'Tool Calls': number }[] };
  return rows[0]?.['Tool Calls'] ?? 0;
}

// Starts the whole server twice, and runs for a fixed time in between.
test('a kill -9 under load loses no call that was answered more than a second before', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'git', 'shop.git'), isBare: true });
  builder.commit({ files: { 'a.ts': 'one\n' } });
  const flags = ['--repos', join(folder.path, 'git'), '--data', join(folder.path, 'data')];
  const first = await startSextant(flags);
  const answered: number[] = [];
  const exited = once(first.process, 'exit');
  const stopping = new AbortController();
  const calling = Array.from({ length: lanes }, async () => {
    while (!stopping.signal.aborted) {
      await call(first, first.token).then(
        () => answered.push(performance.now()),
        () => undefined,
      );
    }
  });
  await expect.poll(() => answered.length).toBeGreaterThan(0);
  await setTimeout(1500);
  const killed = performance.now();
  first.process.kill('SIGKILL');
  await exited;
  stopping.abort();
  await Promise.all(calling);

  const second = await startSextant(flags);
  try {
    const recorded = await recordedCalls(second, first.token);
    const old = answered.filter((time) => time < killed - 1000).length;
    expect(old).toBeGreaterThan(0);
    expect(recorded).toBeGreaterThanOrEqual(old);
    expect(recorded, 'and none is counted twice').toBeLessThanOrEqual(answered.length + lanes);
  } finally {
    await second.stop();
  }
});
