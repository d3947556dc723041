import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Started } from '../../support/processes.ts';
import type { Answer } from './measured.ts';

const run = promisify(execFile);
const programs = process.env['ZOEKT'];
const program = (name: string): string => (programs === undefined ? name : join(programs, name));

/** The limit of a file that Sextant has; and no other, so that both have the same files. */
const indexing = ['-disable_ctags', '-submodules=false', '-file_limit', '1048576', '-max_trigram_count', '100000000'];

/** Whether its programs are in the folder that `ZOEKT` names, or else on the path. */
export async function isZoektHere(): Promise<boolean> {
  return run(program('zoekt-webserver'), ['-version']).then(
    () => true,
    () => false,
  );
}

/** Indexes HEAD of each repository where there is no index yet; the seconds that it took. */
export async function indexWithZoekt(repositories: readonly string[], index: string): Promise<number | undefined> {
  await mkdir(index, { recursive: true });
  if ((await readdir(index)).length > 0) return undefined;
  const begun = performance.now();
  for (const path of repositories)
    await run(program('zoekt-git-index'), ['-index', index, ...indexing, path], { maxBuffer: 1 << 28 });
  return (performance.now() - begun) / 1000;
}

/** Its web server with the JSON API; resolves once everything is loaded. */
export async function serveZoekt(index: string): Promise<Started> {
  const listen = `127.0.0.1:${await freePort()}`;
  const child = spawn(program('zoekt-webserver'), ['-index', index, '-listen', listen, '-rpc', '-html=false'], {
    stdio: 'ignore',
  });
  const started = { url: `http://${listen}`, token: '', process: child, stop: () => stop(child) };
  const shards = (await readdir(index)).filter((name) => name.endsWith('.zoekt')).length;
  while ((await loadedShards(started)) < shards) await new Promise((resolve) => setTimeout(resolve, 100));
  return started;
}

const all = { ShardMaxMatchCount: 1_000_000_000, TotalMaxMatchCount: 1_000_000_000, MaxWallTime: 120_000_000_000 };

export interface ZoektResult {
  /** Null where there are none. */
  readonly Files: readonly { Repository: string; FileName: string; ChunkMatches: readonly ZoektChunk[] }[] | null;
  readonly FileCount: number;
  readonly Duration: number;
}
interface ZoektChunk {
  readonly Content: string;
  readonly FileName: boolean;
  readonly Ranges: readonly { Start: { LineNumber: number }; End: { LineNumber: number } }[];
}

export interface Wanted {
  /** All there are without it. */
  readonly files?: number;
  /** The best of all files that match, and not of those that zoekt met before it had enough matches in each shard. */
  readonly isBestOfAll?: boolean;
}

/** As many lines around a match as keyword_search shows. */
export async function searchZoekt({ url }: Started, query: string, wanted: Wanted = {}): Promise<ZoektResult> {
  const { files, isBestOfAll } = wanted;
  const shown = files === undefined ? {} : { MaxDocDisplayCount: files };
  const limits = files === undefined || isBestOfAll ? { ...all, ...shown } : shown;
  const response = await fetch(`${url}/api/search`, {
    method: 'POST',
    body: JSON.stringify({ Q: query, Opts: { ...limits, ChunkMatches: true, NumContextLines: 1 } }),
  });
  if (!response.ok) throw new Error(`zoekt answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { Result: ZoektResult }).Result;
}

export async function askZoekt(zoekt: Started, query: string, wanted: Wanted): Promise<Answer> {
  const { Files, Duration } = await searchZoekt(zoekt, query, wanted);
  const chunks = Files?.flatMap(({ ChunkMatches }) => ChunkMatches) ?? [];
  const lines = chunks.reduce(
    (sum, { Content }) => sum + Buffer.from(Content, 'base64').toString().split('\n').length,
    0,
  );
  return { files: Files?.length ?? 0, lines, ownMs: Duration / 1e6 };
}

async function loadedShards({ url }: Started): Promise<number> {
  const body = JSON.stringify({ Q: 'repo:' });
  const response = await fetch(`${url}/api/list`, { method: 'POST', body }).catch(() => undefined);
  if (!response?.ok) return 0;
  const { List } = (await response.json()) as { List: { Stats: { Shards: number } } };
  return List.Stats.Shards;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function stop(child: Started['process']): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
