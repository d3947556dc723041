import { request } from 'undici';
import type { Started } from '../../support/processes.ts';
import { load } from '../support/load.ts';
import { median, quantile, whole } from './row.ts';
import type { Row } from './row.ts';

/** So few that what else the machine does is the same for both of a pair. */
const callsARound = 500;
/** Until what runs often is compiled. */
const pairsBefore = 10;

/** What one call took in one round, in microseconds. */
interface Cost {
  time: number;
  processor: number;
}

interface Pair {
  recorded: Cost;
  silent: Cost;
}

/**
 * The same calls to one process, in short rounds in which it records and in which it does not in turn: two processes are
 * compiled and placed in memory differently, and differ by more than what is measured.
 */
export async function measureCalls(server: Started, pairs: number): Promise<Row[]> {
  try {
    for (let pair = 0; pair < pairsBefore; pair += 1) await compare(server, pair);
    const compared: Pair[] = [];
    for (let pair = 0; pair < pairs; pair += 1) compared.push(await compare(server, pair));
    return [
      rowOf('processor time of a call that is recorded', 'processor', compared),
      rowOf('time of a call that is recorded, 16 at once', 'time', compared),
    ];
  } finally {
    await server.stop();
  }
}

/** In turn which is first: what runs second finds another machine. */
async function compare(server: Started, pair: number): Promise<Pair> {
  if (pair % 2 === 0) return { recorded: await costOf(server, true), silent: await costOf(server, false) };
  const silent = await costOf(server, false);
  return { recorded: await costOf(server, true), silent };
}

async function costOf(server: Started, isRecorded: boolean): Promise<Cost> {
  const { url, token } = server;
  const params = { name: 'read_file', arguments: { repo: 'small', path: 'src/sample.ts' } };
  const bodies = [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params }];
  const before = await turn(server, isRecorded);
  const begun = performance.now();
  await load({ url: `${url}/.api/mcp`, token, bodies }, { calls: callsARound });
  const processor = (await turn(server, false)) - before;
  const time = (performance.now() - begun) * 1000;
  return { time: time / callsARound, processor: processor / callsARound };
}

/** Switches recording, and answers the processor time that the process has used so far. */
async function turn({ url, token }: Started, isOn: boolean): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const { statusCode, body } = await request(`${url}/bench/recording${isOn ? '?on' : ''}`, { method: 'POST', headers });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${statusCode}: ${text}`);
  return Number(text);
}

/** The median of the pairs, and between which values it is with 95 % confidence: by ranks, whatever the distribution. */
function rowOf(what: string, cost: keyof Cost, pairs: readonly Pair[]): Row {
  const ratios = pairs.map(({ recorded, silent }) => recorded[cost] / silent[cost]);
  const around = 0.98 / Math.sqrt(ratios.length);
  const [least, most] = [0.5 - around, 0.5 + around].map((share) => quantile(ratios, share).toFixed(3));
  const typical = (side: keyof Pair): string => `${median(pairs.map((pair) => pair[side][cost])).toFixed(1)} µs`;
  const measured = `${typical('recorded')}, ${whole(ratios.length)} pairs`;
  const ratio = `${median(ratios).toFixed(3)} (${least} to ${most})`;
  return [what, measured, `${typical('silent')} not recorded`, ratio, '< 1.02'];
}
