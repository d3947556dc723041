import {
  AccessRules,
  Fetches,
  GitStore,
  History,
  HostedRepositories,
  IndexStates,
  Links,
  PageLinks,
  PreciseIndex,
  Repositories,
  Search,
  Symbols,
  fetchWebhook,
} from '@sextant/contracts';
import { Cluster, ResearchNodes, SymbolNodes } from '@sextant/contracts/nodes';
import { definePlugin, optional, withinTime } from '@sextant/core';
import type { ServiceStatus } from '@sextant/core';
import { callsNoted } from './calling.ts';
import { clusterDrain, clusterRebalance } from './cluster-changes.ts';
import { catalogueReplica, clusterStatus } from './cluster-status.ts';
import { LeftCopies } from './left-copies.ts';
import { NodeClients } from './node-clients.ts';
import { NodeHistory } from './node-history.ts';
import { NodeResearch } from './node-research.ts';
import { NodeSearch } from './node-search.ts';
import { NodeFetches, NodeIndexStates } from './node-states.ts';
import { NodeSymbols } from './node-symbols.ts';
import { Nodes } from './nodes.ts';
import { remoteAccessRules } from './remote-access-rules.ts';
import { RemoteRepositories } from './remote-repositories.ts';
import { RemoteStore } from './remote-store.ts';
import { CatalogueReplica } from './replica.ts';

/** Milliseconds that a start waits for what nodes have. */
const firstMs = 5000;

export default definePlugin({
  name: 'service-code-nodes',
  needs: { cluster: Cluster, hosted: optional(HostedRepositories) },
  wrappers: [callsNoted(Symbols), callsNoted(PreciseIndex)],
  provides: {
    repositories: Repositories,
    store: GitStore,
    search: Search,
    history: History,
    links: Links,
    fetches: Fetches,
    access: AccessRules,
    states: IndexStates,
    symbols: SymbolNodes,
    research: ResearchNodes,
    replica: catalogueReplica,
  },
  pages: [fetchWebhook],
  commands: [clusterStatus, clusterDrain, clusterRebalance],
  async start(_settings, { cluster, hosted }, { log, metrics, externalURL }) {
    const calls = metrics.counter({ name: 'calls_total', help: 'Calls of code nodes, by method', labels: ['method'] });
    const clients = new NodeClients(cluster, log);
    const replica = new CatalogueReplica({ cluster, clients, log });
    const left = new LeftCopies({ cluster, replica, log });
    const nodes = new Nodes({ cluster, clients, replica, onCall: (method) => calls.add(1, { method }) });
    const repositories = new RemoteRepositories({ replica, nodes, hosted });
    return {
      repositories: {
        value: repositories,
        ready: async () => {
          await withinTime(firstMs, 'the catalogue of the code nodes', replica.begin()).catch((error: unknown) =>
            log.warn({ err: error, nodes: replica.lost }, 'serving without some code nodes, which do not answer'),
          );
          left.begin();
        },
        status: () => statusOf(replica),
        close: async () => {
          left.close();
          replica.close();
          clients.close();
        },
      },
      store: { value: new RemoteStore(replica, nodes) },
      search: { value: new NodeSearch(repositories, nodes) },
      history: { value: new NodeHistory(repositories, nodes) },
      links: { value: new PageLinks(externalURL) },
      fetches: { value: new NodeFetches(repositories, nodes) },
      access: { value: remoteAccessRules(replica, hosted) },
      states: { value: new NodeIndexStates(repositories, nodes) },
      symbols: { value: new NodeSymbols({ cluster, repositories, nodes }) },
      research: { value: new NodeResearch(repositories, nodes) },
      replica: { value: replica },
    };
  },
});

function statusOf(replica: CatalogueReplica): ServiceStatus {
  const { problems, counts } = replica;
  const failures = [...problems].map(([name, problem]) => ({
    name,
    reason: `${problem}; other copies of its repositories answer, where there are any`,
  }));
  return {
    // A host that a balancer leaves out because of one node would take all others from callers, too.
    isReady: replica.isReady,
    detail: { repositories: replica.all().length, nodes: counts },
    ...(failures.length > 0 && { failures }),
  };
}
