import { nodeMethods } from '@sextant/contracts/nodes';
import type { Cluster, ClusterNode, NodeMethods } from '@sextant/contracts/nodes';
import { CallerSigner, NodeClient } from '@sextant/library-node-protocol';

/** Milliseconds for which a node that did not answer is asked last. */
const avoidedMs = 2000;

/** The connections to all nodes, and which of them answer. */
export class NodeClients {
  readonly #clients: ReadonlyMap<string, NodeClient<NodeMethods>>;
  readonly #avoidedUntil = new Map<string, number>();

  constructor({ nodes, callerKey, tls }: Cluster) {
    const signer = new CallerSigner(callerKey);
    const clientOf = ({ name: node, url }: ClusterNode) =>
      new NodeClient<NodeMethods>({ node, url, methods: nodeMethods, signer, tls });
    this.#clients = new Map(nodes.map((node) => [node.name, clientOf(node)]));
  }

  of({ name }: ClusterNode): NodeClient<NodeMethods> {
    const client = this.#clients.get(name);
    if (client) return client;
    throw new Error(`the cluster has no node ${name}`);
  }

  noteFailure({ name }: ClusterNode): void {
    this.#avoidedUntil.set(name, performance.now() + avoidedMs);
  }

  noteAnswer({ name }: ClusterNode): void {
    this.#avoidedUntil.delete(name);
  }

  /** Those that answered last time first. */
  wellFirst(nodes: readonly ClusterNode[]): ClusterNode[] {
    const now = performance.now();
    const isAvoided = ({ name }: ClusterNode): boolean => (this.#avoidedUntil.get(name) ?? 0) > now;
    return nodes.toSorted((a, b) => Number(isAvoided(a)) - Number(isAvoided(b)));
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
  }
}
