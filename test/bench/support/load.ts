import { Pool } from 'undici';

export interface Target {
  /** Origin and path. */
  url: string;
  token: string;
  bodies: readonly object[];
}

export interface Measured {
  /** Requests a second. */
  rate: number;
  /** Milliseconds. */
  p50: number;
  p95: number;
  p99: number;
}

/** How long to go on: a time, or a number of calls. */
export type Amount = { seconds: number } | { calls: number };

const manyConnections = 16;

/** Sends the bodies in turn over keep-alive connections, one request at a time on each. Throws when an answer is not 200. */
export async function load(
  { url, token, bodies }: Target,
  amount: Amount,
  connections = manyConnections,
): Promise<Measured> {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const headers = { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${token}` };
  const texts = bodies.map((body) => JSON.stringify(body));
  const latencies: number[] = [];
  const begun = performance.now();
  const isOver = (): boolean =>
    'calls' in amount ? latencies.length >= amount.calls : performance.now() - begun >= amount.seconds * 1000;

  const connection = async (first: number): Promise<void> => {
    for (let turn = first; !isOver(); turn += 1) {
      const sent = performance.now();
      const { statusCode, body } = await pool.request({
        origin,
        path,
        method: 'POST',
        headers,
        body: texts[turn % texts.length] ?? '',
      });
      await body.dump({ limit: Infinity });
      if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => connection(index)));
  const seconds = (performance.now() - begun) / 1000;
  await pool.close();
  latencies.sort((a, b) => a - b);
  const percentile = (share: number): number => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN;
  return { rate: latencies.length / seconds, p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) };
}

/** Sends one request and returns the text of the answer. */
export async function ask(target: Omit<Target, 'bodies'>, body: object): Promise<string> {
  const response = await fetch(target.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: `Bearer ${target.token}`,
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 200 || text.includes('"isError":true'))
    throw new Error(`${response.status}: ${text.slice(0, 300)}`);
  return text;
}
