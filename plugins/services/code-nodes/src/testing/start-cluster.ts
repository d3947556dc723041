import { generateKeyPairSync, randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { History, Repositories, Researcher, Search, Symbols } from '@sextant/contracts';
import { Cluster } from '@sextant/contracts/nodes';
import { configuredRepositories } from '@sextant/contracts/testing';
import type { ServedRepositories } from '@sextant/contracts/testing';
import type { Plugin } from '@sextant/core';
import { startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import clusterPlugin from '@sextant/service-cluster';
import git from '@sextant/service-git';
import historyIndex from '@sextant/service-history-index';
import nodeServer from '@sextant/service-node-server';
import researcher from '@sextant/service-researcher';
import searchIndex from '@sextant/service-search-index';
import symbols from '@sextant/service-symbols';
import plugin from '../index.ts';

export interface StartedCluster extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly host: StartedPlugins;
  /** By their names. */
  readonly nodes: ReadonlyMap<string, StartedPlugins>;
  /** Starts a node anew, or one that was not there before. */
  startNode(name: string): Promise<void>;
  readonly repositories: Repositories;
  readonly search: Search;
  readonly history: History;
  readonly symbols: Symbols;
  readonly researcher: Researcher;
}

export interface ClusterSettings extends ServedRepositories {
  readonly names?: readonly string[];
  readonly copies?: number;
  /** Keys of `cluster` besides nodes, copies and keys. */
  readonly more?: object;
  /** The plugin of a database that knows the nodes, with its settings; absent: the configuration lists them. */
  readonly database?: readonly [Plugin, object];
  /** More plugins of the host and of each node. */
  readonly others?: readonly (readonly [Plugin, object?])[];
}

/** A slow machine parses slowly too, and a file that was given up is not parsed again for minutes. */
const patient = { parseMs: 60_000, answerMs: 60_000 };

/** A host and its code nodes, each with data of its own, which speak over loopback as different machines do. */
export async function startCluster(options: ClusterSettings): Promise<StartedCluster> {
  const { names = ['a', 'b', 'c'], copies = 2, more = {}, database, others = [], ...served } = options;
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const ports = await freePorts(names.length + 1);
  const urlOf = (name: string): string => `http://127.0.0.1:${ports[names.indexOf(name)] ?? ports.at(-1)}`;
  const nodes = names.map((name) => ({ name, url: urlOf(name) }));
  const common = (name: string): object => ({ ...(database ? { nodeURL: urlOf(name) } : { nodes }), copies, ...more });
  const everywhere = [...(database ? [database] : []), ...others];
  const callerKey = String(publicKey.export({ type: 'spki', format: 'pem' }));
  const started = new Map<string, StartedPlugins>();
  const dataOf = (name: string): string => {
    const folder = join(served.folder, `data-${name}`);
    mkdirSync(folder, { recursive: true });
    return folder;
  };
  const startNode = async (self: string): Promise<void> => {
    const node = await startPlugins(dataOf(self), [
      ...everywhere,
      [clusterPlugin, { cluster: { ...common(self), callerKey, self } }],
      [git, { repositories: configuredRepositories(served), watchSeconds: 0.1 }],
      [searchIndex, { threads: 1, memoryBytes: 64 << 20 }],
      [historyIndex],
      [symbols, patient],
      [researcher],
      [nodeServer],
    ]);
    started.set(self, node);
    await node.ready();
  };
  await Promise.all(names.map(startNode));
  const signingKey = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const host = await startPlugins(dataOf('host'), [
    ...everywhere,
    [clusterPlugin, { cluster: { ...common('host'), callerKey: signingKey } }],
    [plugin],
    [symbols, patient],
    [researcher],
  ]);
  await host.ready();
  return {
    host,
    nodes: started,
    startNode,
    ...host.services.resolve({
      cluster: Cluster,
      repositories: Repositories,
      search: Search,
      history: History,
      symbols: Symbols,
      researcher: Researcher,
    }),
    [Symbol.asyncDispose]: async () => {
      await host[Symbol.asyncDispose]();
      await Promise.all([...started.values()].map((node) => node[Symbol.asyncDispose]()));
    },
  };
}

/** Below the ports that systems give to whoever asks for any: nobody takes them before the nodes do. */
async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(15_000, 30_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) =>
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)),
    );
    if (isFree) ports.add(port);
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
  return [...ports];
}
