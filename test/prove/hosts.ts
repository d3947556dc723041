// Hosts and the primary database die under mixed calls, and what was promised holds. `npm run prove:hosts -- --hosts 3
// --minutes 5`. Needs nginx, PgBouncer and PostgreSQL; prints a table, and exits 1 when a promise is broken.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startCluster, startStandby } from '@sextant/service-postgres/testing';
import { request } from 'undici';
import { queryOnce } from './support/database.ts';
import { generateRepository } from '../bench/support/repositories.ts';
import { Load, callTool } from './support/calls.ts';
import type { Outcome } from './support/calls.ts';
import { ProvenHosts } from './support/hosts.ts';
import { configure, freePorts, mixedCalls } from './support/installation.ts';
import { startBalancer, startPooler } from './support/programs.ts';
import { Promises } from './support/promises.ts';
import { slowWord, startSlowModel } from './support/slow-model.ts';
import type { SlowModel } from './support/slow-model.ts';

const { values } = parseArgs({
  options: { hosts: { type: 'string', default: '3' }, minutes: { type: 'string', default: '5' } },
});
const hostCount = Number(values.hosts);
const totalMs = Number(values.minutes) * 60_000;

const [mostAttempts, takenUpMs, lostUsageMs] = [10, 15_000, 1000];
const questionsPath = '/.api/deepsearch/v1/conversations';

const folder = mkdtempSync(join(tmpdir(), 'sextant-prove-'));
const promises = new Promises();
try {
  await prove();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = promises.print();

async function prove(): Promise<void> {
  await generateRepository({ folder: join(folder, 'git', 'small.git'), commits: 20, files: 50 });
  await using primary = await startCluster({ isDurable: true });
  await using standby = await startStandby(primary);
  // What is answered must survive the primary.
  queryOnce(primary.url, `alter system set synchronous_standby_names = '*'`, 'select pg_reload_conf()');
  const [balancerPort, ...ports] = await freePorts(1 + hostCount);
  await using pooler = await startPooler(primary.port);
  await using balancer = await startBalancer(folder, { port: balancerPort ?? 0, hosts: ports });
  await using model = await startSlowModel();
  const config = configure({
    folder,
    externalURL: balancer.url,
    database: { url: pooler.url, directURL: pooler.directURL },
    model: model.url,
  });
  await using hosts = new ProvenHosts({ folder, config, ports });
  const tokens = await Promise.all(ports.map((_, host) => hosts.start(host)));
  const token = tokens.find((each) => each !== '') ?? '';
  const target = { url: balancer.url, token };
  const others = ports.map((_, host) => host).slice(1);
  // Any host may take a question up. This one is taken by the host that is alone, and dies at work.
  await Promise.all(others.map((host) => hosts.stop(host)));
  const question = { name: 'deepsearch', arguments: { question: `What does small do, ${slowWord}?` } };
  const asking = callTool({ url: `http://127.0.0.1:${ports[0]}`, token }, question);
  if (!(await isTrueInTime(() => model.asked.length > 0)))
    throw new Error(`the question was not worked on: ${await stateOfQuestion(target)}`);
  await Promise.all(others.map((host) => hosts.start(host)));

  const begun = performance.now();
  const until = (share: number): Promise<void> => setTimeout(Math.max(0, begun + share * totalMs - performance.now()));
  const load = new Load(target, mixedCalls, { callers: 8, pauseMs: 50 });
  const kills: { host: string; at: number }[] = [];
  const kill = async (host: number): Promise<void> => {
    const at = performance.now();
    await hosts.kill(host);
    kills.push({ host: `127.0.0.1:${ports[host]}`, at });
  };

  await until(0.05);
  await kill(0);
  const killedAt = performance.now();
  const isTakenUp = await isTrueInTime(() => model.asked.length > 1);
  const takenUp = (model.asked[1] ?? Infinity) - killedAt;
  promises.check('a question in progress is taken up within 15 s', {
    isKept: takenUp <= takenUpMs,
    seen: isTakenUp ? `${seconds(takenUp)} after its host was killed` : `never: ${await stateOfQuestion(target)}`,
  });
  model.release();
  const asked = [await asking];
  await hosts.start(0);
  await tryPasswords(balancer.url);

  await until(0.3);
  await kill(1 % hostCount);
  await setTimeout(5000);
  await hosts.start(1 % hostCount);

  await until(0.5);
  const askedBefore = model.asked.length;
  const askingAgain = callTool(target, question);
  if (!(await isTrueInTime(() => model.asked.length > askedBefore)))
    throw new Error(`the question was not worked on: ${await stateOfQuestion(target)}`);
  await primary.kill();
  const failedAt = performance.now();
  queryOnce(standby.url, 'select pg_promote()');
  pooler.switchTo(standby.port);
  promises.check('calls are answered again after the primary was lost', await answeredAgain(load, failedAt));
  const state = await finalState(target, model);
  promises.check('a question in progress outlives the primary', { isKept: state === 'completed', seen: state });
  asked.push(await askingAgain);

  await until(0.75);
  await kill(2 % hostCount);
  await setTimeout(5000);
  await hosts.start(2 % hostCount);

  await until(1);
  const last = performance.now() - 0.1 * totalMs;
  const outcomes = [...(await load.stop()), ...asked];
  checkErrors(outcomes.filter((outcome) => outcome !== asked[0]));
  const atLast = new Set(
    outcomes.filter(({ endedAt, kind }) => endedAt > last && kind === 'answered').map(({ host }) => host),
  );
  promises.check('every host answers at the end', {
    isKept: atLast.size === hostCount,
    seen: `${atLast.size} of ${hostCount}`,
  });
  await setTimeout(2 * lostUsageMs);
  await checkCredits(target, outcomes);
  await checkUsage(target, outcomes, kills);
}

async function isTrueInTime(isTrue: () => boolean): Promise<boolean> {
  const end = performance.now() + 2 * 60_000;
  while (!isTrue() && performance.now() < end) await setTimeout(20);
  return isTrue();
}

interface QuestionState {
  status: string;
  identifier: string;
}

async function lastQuestion(target: Target): Promise<QuestionState | undefined> {
  const { conversations } = (await readJson(target, questionsPath)) as { conversations?: QuestionState[] };
  return conversations?.[0];
}

/** What the hosts say of the question that was asked last. */
async function stateOfQuestion(target: Target): Promise<string> {
  const last = await lastQuestion(target);
  return JSON.stringify(last && (await readJson(target, `${questionsPath}/${last.identifier}`)));
}

/** `completed`, or what else became of the question that was asked last. */
async function finalState(target: Target, model: SlowModel): Promise<string> {
  const end = performance.now() + 2 * 60_000;
  for (;;) {
    // Another host may have taken it up meanwhile, and asked again.
    model.release();
    const status = (await lastQuestion(target))?.status;
    if (status === 'completed') return status;
    if (status === 'failed' || performance.now() > end) return stateOfQuestion(target);
    await setTimeout(500);
  }
}

/** Wrong ones, of one user, over all hosts. */
async function tryPasswords(url: string): Promise<void> {
  const statuses = new Map<number, number>();
  const hosts = new Set<string>();
  for (let attempt = 0; attempt < 2 * mostAttempts; attempt += 1) {
    const form = await request(`${url}/sign-in/password`);
    const csrf = /name="csrf" value="([^"]+)"/.exec(await form.body.text())?.[1] ?? '';
    const cookies = [form.headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';')[0]);
    const answer = await request(`${url}/sign-in/password`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie: cookies.join('; '),
        origin: url,
      },
      body: String(new URLSearchParams({ csrf, name: 'admin', password: `wrong ${attempt}` })),
    });
    await answer.body.dump();
    statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
    hosts.add(String(answer.headers['x-host']));
  }
  promises.check('20 wrong passwords over all hosts are stopped at 10', {
    isKept: statuses.get(403) === mostAttempts && statuses.get(429) === mostAttempts,
    seen: `${[...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')} from ${hosts.size} hosts`,
  });
}

function isMetered({ tool }: Outcome): boolean {
  return tool === 'code_finder' || tool === 'deepsearch';
}

/** Metered calls write: they need a primary. */
async function answeredAgain(load: Load, since: number): Promise<{ isKept: boolean; seen: string }> {
  const begun = performance.now();
  for (;;) {
    // What began before the primary was lost may still be answered for a moment.
    const first = load.outcomes.find(
      (outcome) => isMetered(outcome) && outcome.kind === 'answered' && outcome.endedAt > begun + 500,
    );
    if (first) return { isKept: true, seen: `${seconds(first.endedAt - since)} later` };
    if (performance.now() - begun > 60_000) return { isKept: false, seen: 'not within a minute' };
    await setTimeout(50);
  }
}

function checkErrors(outcomes: readonly Outcome[]): void {
  const of = (kind: Outcome['kind']): readonly Outcome[] => outcomes.filter((outcome) => outcome.kind === kind);
  const broken = of('broken');
  for (const { tool, detail } of broken.slice(0, 10)) process.stderr.write(`${tool}: ${detail}\n`);
  promises.check('every error says when to try again', {
    isKept: broken.length === 0,
    seen: `${of('answered').length} answered, ${of('refused').length} with an error that does, ${broken.length} without`,
  });
}

interface Target {
  url: string;
  token: string;
}

async function readJson({ url, token }: Target, path: string): Promise<unknown> {
  const { body } = await request(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  return body.json();
}

/** A call that was cut off may have been paid for; one that was answered must be, once. */
async function checkCredits(target: Target, outcomes: readonly Outcome[]): Promise<void> {
  const query = `instanceURL=${target.url}&format=json`;
  const { buckets } = (await readJson(target, `/api/credits?${query}`)) as { buckets: Record<string, number>[] };
  const consumed = buckets[0]?.['Consumed'] ?? Number.NaN;
  const metered = outcomes.filter(isMetered);
  const answered = metered.filter(({ kind }) => kind === 'answered').length;
  promises.check('no credit of an answered call is lost, none is spent twice', {
    isKept: answered <= consumed && consumed <= metered.length,
    seen: `${consumed} consumed, ${answered} calls answered, ${metered.length - answered} cut off or refused`,
  });
}

async function checkUsage(
  target: Target,
  outcomes: readonly Outcome[],
  kills: readonly { host: string; at: number }[],
): Promise<void> {
  const query = `instanceURL=${target.url}&granularity=by_user&format=json`;
  const { rows } = (await readJson(target, `/api/reports/by-user-client-date?${query}`)) as {
    rows: Record<string, number>[];
  };
  const recorded = rows.reduce((sum, row) => sum + (row['Tool Calls'] ?? 0), 0);
  const answered = outcomes.filter(({ kind }) => kind === 'answered');
  const excused = answered.filter(({ host, endedAt }) =>
    kills.some((kill) => kill.host === host && endedAt <= kill.at + 100 && endedAt > kill.at - lostUsageMs),
  );
  promises.check('at most the last second of a killed host is not counted', {
    isKept: recorded >= answered.length - excused.length && recorded <= outcomes.length,
    seen: `${recorded} counted of ${answered.length} answered; ${excused.length} in such a second`,
  });
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
