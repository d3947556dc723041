import type { Cluster, ClusterNode } from '@sextant/contracts/nodes';
import type { Logger } from '@sextant/core';
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
    // What a node that does not answer has left is removed later.
    await Promise.allSettled(followed.map((node) => this.#lookAt(node)));
    this.#isLooking = false;
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
