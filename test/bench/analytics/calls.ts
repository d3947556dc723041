import { setTimeout } from 'node:timers/promises';
import { processorSeconds } from '../../support/processes.ts';
import type { Started } from '../../support/processes.ts';
import { load } from '../support/load.ts';
import { quantile, whole } from './row.ts';
import type { Row } from './row.ts';

const callsARound = 2000;
/** Until what runs often is compiled. */
const roundsBefore = 5;
/** What was recorded in the last round is written meanwhile. */
const writtenMs = 1000;

interface Side {
  server: Started;
  rates: number[];
  seconds: number;
}

/** The same calls in turn to a server that records and to one that does not, so that what else runs slows both alike. */
export async function measureCalls(servers: readonly [Started, Started], rounds: number): Promise<Row[]> {
  try {
    for (let round = 0; round < roundsBefore; round += 1) for (const server of servers) await rateOf(server);
    const sides = servers.map((server): Side => ({ server, rates: [], seconds: -processorSeconds(server) }));
    for (let round = 0; round < rounds; round += 1)
      // In turn who is first: what runs second finds another machine.
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) side.rates.push(await rateOf(side.server));
    await setTimeout(writtenMs);
    for (const side of sides) side.seconds += processorSeconds(side.server);
    return rowsOf(sides, rounds);
  } finally {
    for (const server of servers) await server.stop();
  }
}

function rowsOf([recording, silent]: readonly Side[], rounds: number): Row[] {
  if (!recording || !silent) return [];
  const count = `${rounds} pairs of ${whole(callsARound)} calls`;
  const ratios = recording.rates.map((rate, round) => rate / (silent.rates[round] ?? Number.NaN));
  const spread = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share).toFixed(3)).join(' / ');
  const each = (side: Side): string => `${((side.seconds * 1e6) / (rounds * callsARound)).toFixed(1)} µs`;
  const processor = (recording.seconds / silent.seconds).toFixed(3);
  return [
    ['throughput while calls are recorded', count, 'not recorded', spread, '> 0.98'],
    ['processor time of a call that is recorded', each(recording), `${each(silent)} not recorded`, processor, '< 1.02'],
  ];
}

async function rateOf({ url, token }: Started): Promise<number> {
  const params = { name: 'read_file', arguments: { repo: 'small', path: 'src/sample.ts' } };
  const bodies = [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params }];
  const { rate } = await load({ url: `${url}/.api/mcp`, token, bodies }, { calls: callsARound });
  return rate;
}
