import { nodeMethods } from '@sextant/contracts/nodes';
import type { Cluster, ClusterNode, NodeMethods } from '@sextant/contracts/nodes';
import type { Logger } from '@sextant/core';
import { CallerSigner, MalformedAnswer, NodeClient } from '@sextant/library-node-protocol';

/** Milliseconds for which a node that did not answer is asked last. */
const avoidedMs = 2000;

/** The connections to all nodes, and which of them answer. */
export class NodeClients {
  readonly #clients = new Map<string, NodeClient<NodeMethods>>();
  readonly #avoidedUntil = new Map<string, number>();
  /** Of whose answers the log says already that this host does not understand them. */
  readonly #logged = new Set<string>();
  readonly #signer: CallerSigner;
  readonly #tls: Cluster['tls'];
  readonly #log: Logger;

  constructor({ callerKey, tls }: Pick<Cluster, 'callerKey' | 'tls'>, log: Logger) {
    this.#signer = new CallerSigner(callerKey);
    this.#tls = tls;
    this.#log = log;
  }

  of({ name: node, url }: ClusterNode): NodeClient<NodeMethods> {
    const known = this.#clients.get(node);
    if (known?.url === url) return known;
    known?.close();
    const client = new NodeClient<NodeMethods>({
      node,
      url,
      methods: nodeMethods,
      signer: this.#signer,
      tls: this.#tls,
    });
    this.#clients.set(node, client);
    return client;
  }

  /** One that answered, however wrongly, is not asked last: callers who repeat a call would reorder the nodes. */
  noteFailure({ name }: ClusterNode, error: unknown): void {
    if (error instanceof MalformedAnswer) this.#noteMalformed(error);
    else this.#avoidedUntil.set(name, performance.now() + avoidedMs);
  }

  #noteMalformed({ node, method, message }: MalformedAnswer): void {
    const said = `${node} ${method}`;
    if (this.#logged.has(said)) return;
    this.#logged.add(said);
    this.#log.error({ node, method }, message);
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
