import { runSextant } from '../../support/processes.ts';
import type { Started } from '../../support/processes.ts';
import { load } from '../support/load.ts';
import { cases } from './cases.ts';
import { budgetMs, print, printHead, printRow, show } from './measured.ts';
import { bodyOf } from './served.ts';

const seconds = (4 * budgetMs) / 1000;

export async function compareClients(sextant: Started): Promise<void> {
  const bodies = cases.map(({ query }) => bodyOf(query));
  const target = { url: `${sextant.url}/.api/mcp`, token: sextant.token, bodies };
  await load(target, { seconds }, 1);
  const one = await load(target, { seconds }, 1);
  print('');
  printHead(['clients, all queries in turn', 'calls/s', 'against one', 'p50 ms', 'p95 ms', 'p99 ms']);
  for (const clients of [1, 4, 16]) {
    const { rate, p50, p95, p99 } = clients === 1 ? one : await load(target, { seconds }, clients);
    printRow([String(clients), show(rate), `${show(rate / one.rate)}×`, show(p50), show(p95), show(p99)]);
  }
}

/** What a caller waits while another one, with a token of her own, searches with slow expressions. */
export async function measureFairness(sextant: Started, data: string): Promise<void> {
  // The data may be kept from a run before.
  const name = `slow-${Date.now()}`;
  runSextant(['user', 'add', name, '--data', data]);
  const token = runSextant(['token', 'create', '--user', name, '--data', data]);
  const url = `${sextant.url}/.api/mcp`;
  const quick = { url, token: sextant.token, bodies: cases.slice(0, 4).map(({ query }) => bodyOf(query)) };
  const slow = { url, token, bodies: ['/[0-9a-f]{40}/', '/[a-z]+ [a-z]+$/ count:all'].map(bodyOf) };
  const alone = await load(quick, { seconds }, 1);
  const [beside, other] = await Promise.all([load(quick, { seconds }, 1), load(slow, { seconds }, 2)]);
  print(`\nshort queries, alone: p50 ${show(alone.p50)} ms, p99 ${show(alone.p99)} ms`);
  print(
    `beside another caller's slow ones (p50 ${show(other.p50)} ms): p50 ${show(beside.p50)} ms, p99 ${show(beside.p99)} ms; ${show(beside.p50 / alone.p50)}×`,
  );
}
