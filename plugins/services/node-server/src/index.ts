import { Fetches, GitStore, History, IndexStates, Repositories, Search, Symbols } from '@sextant/contracts';
import { Catalogue, Cluster, RepositoryResearch, SoughtSymbols, nodeMethods } from '@sextant/contracts/nodes';
import type { ClusterReport } from '@sextant/contracts/nodes';
import { SextantError, definePlugin, token } from '@sextant/core';
import { CallerVerifier, NodeServer } from '@sextant/library-node-protocol';
import { admission } from './admission.ts';
import { CatalogueFeed } from './catalogue-feed.ts';
import { handlersOf } from './handlers.ts';

/** Calls in flight may take this long when the node stops. */
const graceMs = 5000;

export default definePlugin({
  name: 'service-node-server',
  needs: {
    cluster: Cluster,
    catalogue: Catalogue,
    repositories: Repositories,
    store: GitStore,
    search: Search,
    history: History,
    symbols: Symbols,
    sought: SoughtSymbols,
    research: RepositoryResearch,
    fetches: Fetches,
    states: IndexStates,
  },
  provides: { server: token<CatalogueFeed>('node-server') },
  async start(_settings, { catalogue, ...services }, { log, metrics }) {
    const { cluster, store } = services;
    const { self, callerKey, tls } = cluster;
    if (!self)
      throw new SextantError(
        'invalid_argument',
        'say which node of cluster.nodes this is: serve --role node --node NAME',
      );
    const calls = metrics.counter({
      name: 'node_calls_total',
      help: 'Calls of hosts, by method and outcome',
      labels: ['method', 'outcome'],
    });
    const feed = new CatalogueFeed(catalogue, store);
    const server = new NodeServer({
      methods: nodeMethods,
      handlers: handlersOf({ ...services, catalogue, feed }),
      verifier: new CallerVerifier(callerKey, self.name),
      admit: admission({ cluster, catalogue }),
      tls,
      log,
      onCall: (method, outcome) => calls.add(1, { method, outcome }),
    });
    const { hostname, port } = new URL(self.url);
    await server.listen({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
    await cluster.join(() => reportOf(catalogue));
    log.info({ node: self.name, url: self.url, epoch: cluster.epoch }, 'this code node serves hosts');
    return {
      server: {
        value: feed,
        close: async () => {
          feed.close();
          await server.close(graceMs);
        },
      },
    };
  },
});

function reportOf(catalogue: Catalogue): ClusterReport {
  const entries = catalogue.entries();
  return { repositories: entries.length, waiting: entries.filter(({ absent }) => absent !== undefined).length };
}
