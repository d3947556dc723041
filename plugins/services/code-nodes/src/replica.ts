import { setTimeout } from 'node:timers/promises';
import type { CatalogueEntry, Cluster, ClusterNode, NodeMethods } from '@sextant/contracts/nodes';
import { messageOf, timeoutSignal } from '@sextant/core';
import type { Logger } from '@sextant/core';
import type { AnswerOf } from '@sextant/library-node-protocol';
import type { NodeClients } from './node-clients.ts';

const canOpen = ({ absent }: CatalogueEntry): boolean => absent === undefined;

/** Milliseconds after which a node that broke off is asked for its catalogue again. */
const againMs = 500;
/** Milliseconds in which a node removes copies. It goes on after that. */
const copiesMs = 10_000;

interface Known {
  readonly stop: AbortController;
  readonly entries: Map<string, CatalogueEntry>;
  /** Whether the node tells of its changes at this moment. */
  isFollowed: boolean;
  /** Whether it was followed before, or could not be. */
  wasTried: boolean;
  /** Whether it has ever told what it has. */
  hasTold: boolean;
  /** Why it is not followed. */
  problem?: string;
}

interface Merged {
  readonly all: readonly CatalogueEntry[];
  readonly byName: ReadonlyMap<string, CatalogueEntry>;
}

export interface ReplicaOptions {
  readonly cluster: Cluster;
  readonly clients: NodeClients;
  readonly log: Logger;
}

/**
 * What all nodes have: names, flags, who may read what. Lists and permissions are answered from it, without a node. What a
 * node had before it was lost stays in it.
 */
export class CatalogueReplica {
  readonly #options: ReplicaOptions;
  readonly #nodes = new Map<string, Known>();
  #unfollow: (() => void) | undefined;
  readonly #listeners = new Set<(name: string) => void>();
  #first: Promise<unknown> | undefined;
  #merged: Merged | undefined;
  #former: ReadonlyMap<string, CatalogueEntry> | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  /** Begins to follow the nodes; resolves when each has told what it has, or cannot be reached. */
  begin(): Promise<unknown> {
    if (this.#first) return this.#first;
    this.#unfollow = this.#options.cluster.onChange(() => void this.#followNodes());
    this.#first = this.#followNodes();
    return this.#first;
  }

  close(): void {
    this.#unfollow?.();
    for (const { stop } of this.#nodes.values()) stop.abort();
  }

  /** In the order of their names (by code unit). */
  all(): readonly CatalogueEntry[] {
    return this.#current().all;
  }

  find(name: string): CatalogueEntry | undefined {
    return this.#current().byName.get(name);
  }

  findFormer(name: string): CatalogueEntry | undefined {
    this.#former ??= new Map(this.all().flatMap((entry) => entry.formerNames.map((former) => [former, entry])));
    return this.#former.get(name);
  }

  /** What one node says of a repository. */
  at({ name: node }: ClusterNode, name: string): CatalogueEntry | undefined {
    return this.#nodes.get(node)?.entries.get(name);
  }

  onChange(listener: (name: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Whether a node tells of its changes at this moment. */
  isFollowed(node: string): boolean {
    return this.#nodes.get(node)?.isFollowed ?? false;
  }

  /** Whether an owner has told since the start whether it has the repository of that name. */
  isKnown(name: string): boolean {
    const owners = this.#options.cluster.ownersOf(name);
    return owners.length === 0 || owners.some((owner) => this.#nodes.get(owner.name)?.hasTold);
  }

  /** Names of the nodes that tell of no changes. */
  get lost(): string[] {
    return [...this.problems.keys()];
  }

  /** Of these nodes, what is known of why. */
  get problems(): ReadonlyMap<string, string> {
    const lost = [...this.#nodes].filter(([, { isFollowed }]) => !isFollowed);
    return new Map(lost.map(([name, { problem = `the node ${name} was not reached yet` }]) => [name, problem]));
  }

  /** Whether each node has told what it has or cannot be reached, and one can. */
  get isReady(): boolean {
    const nodes = [...this.#nodes.values()];
    return (
      nodes.every(({ isFollowed, wasTried }) => isFollowed || wasTried) && nodes.some(({ isFollowed }) => isFollowed)
    );
  }

  /** How many repositories each node has. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#nodes].map(([name, { entries }]) => [name, entries.size]));
  }

  /** What a node has left that others own, after it removed of `held` what it may. */
  copies(node: ClusterNode, held: readonly string[] = []): Promise<AnswerOf<NodeMethods['copies']>> {
    const { cluster, clients } = this.#options;
    const surroundings = { caller: undefined, epoch: cluster.epoch, signal: timeoutSignal(copiesMs) };
    return clients.of(node).call('copies', { held: [...held] }, surroundings);
  }

  /** Begins with nodes that came, and ends with those that went; resolves when each that came has told what it has. */
  async #followNodes(): Promise<void> {
    const { nodes } = this.#options.cluster;
    for (const [name, { stop }] of this.#nodes)
      if (!nodes.some((node) => node.name === name)) {
        stop.abort();
        this.#nodes.delete(name);
      }
    // Owners are others now.
    this.#merged = undefined;
    this.#former = undefined;
    await Promise.all(nodes.filter(({ name }) => !this.#nodes.has(name)).map((node) => this.#follow(node.name)));
  }

  #follow(name: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const known = {
      stop: new AbortController(),
      entries: new Map(),
      isFollowed: false,
      wasTried: false,
      hasTold: false,
    };
    this.#nodes.set(name, known);
    void this.#followOn(name, known, resolve);
    return promise;
  }

  async #followOn(name: string, known: Known, onFirst: () => void): Promise<void> {
    const { cluster, clients, log } = this.#options;
    const { signal } = known.stop;
    while (!signal.aborted) {
      // It may have come back elsewhere.
      const node = cluster.nodes.find((each) => each.name === name);
      if (!node) return onFirst();
      try {
        for await (const change of clients.of(node).stream('catalogue', {}, { caller: undefined, signal })) {
          this.#take(known, change);
          if (!known.isFollowed)
            log.info({ node: node.name, repositories: known.entries.size }, 'following a code node');
          known.isFollowed = true;
          onFirst();
        }
      } catch (error) {
        if (!signal.aborted && (known.isFollowed || !known.wasTried))
          log.warn({ node: node.name }, `${messageOf(error)}; it is asked again`);
        known.wasTried = true;
        known.problem = messageOf(error);
      }
      known.isFollowed = false;
      onFirst();
      await setTimeout(againMs, undefined, { signal }).catch(() => undefined);
    }
  }

  #take(known: Known, change: AnswerOf<NodeMethods['catalogue']>): void {
    known.hasTold = true;
    const { entries } = known;
    if (change.isWhole) entries.clear();
    for (const name of change.removed) entries.delete(name);
    for (const entry of change.entries) entries.set(entry.info.name, entry);
    this.#merged = undefined;
    this.#former = undefined;
    const names = new Set([...change.removed, ...change.moved, ...change.entries.map(({ info }) => info.name)]);
    for (const name of names) for (const listener of this.#listeners) listener(name);
  }

  /** Of the owners of a repository, and then of others that have it, the first that can open it says what it is. */
  #current(): Merged {
    if (this.#merged) return this.#merged;
    const names = new Set([...this.#nodes.values()].flatMap(({ entries }) => [...entries.keys()]));
    const byName = new Map<string, CatalogueEntry>();
    for (const name of [...names].sort()) {
      const { cluster } = this.#options;
      const ofOwners = cluster.ownersOf(name).flatMap((owner) => this.at(owner, name) ?? []);
      const ofOthers = ofOwners.some(canOpen) ? [] : cluster.nodes.flatMap((node) => this.at(node, name) ?? []);
      const told = [...ofOwners, ...ofOthers];
      const entry = told.find(canOpen) ?? told[0];
      if (entry) byName.set(name, entry);
    }
    this.#merged = { all: [...byName.values()], byName };
    return this.#merged;
  }
}
