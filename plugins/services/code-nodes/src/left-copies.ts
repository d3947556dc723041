import type { Cluster, ClusterNode } from '@sextant/contracts/nodes';
import { messageOf } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { NodeRefusal } from '@sextant/library-node-protocol';
import { isWhole } from './copies.ts';
import type { CatalogueReplica } from './replica.ts';

const longestMs = 30_000;
const shortestMs = 200;

export interface LeftCopiesOptions {
  readonly cluster: Cluster;
  readonly replica: CatalogueReplica;
  readonly log: Logger;
}

/** Has nodes remove what they no longer own. Only a host can say that all owners have it: nodes do not speak with each other. */
export class LeftCopies {
  readonly #options: LeftCopiesOptions;
  readonly #problems = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(options: LeftCopiesOptions) {
    this.#options = options;
  }

  begin(): void {
    const { graceSeconds } = this.#options.cluster;
    const ms = Math.max(shortestMs, Math.min(longestMs, graceSeconds * 250));
    this.#timer = setInterval(() => void this.#look(), ms).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { cluster, replica } = this.#options;
    const followed = cluster.nodes.filter(({ name }) => replica.isFollowed(name));
    await Promise.all(followed.map((node) => this.#lookAt(node).catch((error: unknown) => this.#note(node, error))));
    this.#isLooking = false;
  }

  /** Says once why a node does not remove what it has left. Of one that does not answer it is removed later. */
  #note({ name }: ClusterNode, error: unknown): void {
    const reason = messageOf(error);
    if (error instanceof NodeRefusal || this.#problems.get(name) === reason) return;
    this.#problems.set(name, reason);
    this.#options.log.warn({ node: name }, `copies that others own were not removed: ${reason}; this is tried again`);
  }

  async #lookAt(node: ClusterNode): Promise<void> {
    const { cluster, replica, log } = this.#options;
    const { left } = await replica.copies(node);
    const held = left.filter((name) => {
      const owners = cluster.ownersOf(name);
      return owners.length > 0 && owners.every((owner) => owner.name !== node.name) && isWhole(name, owners, replica);
    });
    if (held.length === 0) return;
    const { removed } = await replica.copies(node, held);
    if (removed > 0)
      log.info({ node: node.name, copies: removed }, 'a code node removed copies that others own and have');
  }
}
