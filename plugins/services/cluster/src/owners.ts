import { createHash } from 'node:crypto';
import type { ClusterNode } from '@sextant/contracts/nodes';
import { ownersOf } from '@sextant/library-node-protocol';

/** Repositories whose owners are kept: of each search of all of them they are asked for. */
const mostKnown = 500_000;

/** Who owns what, of one placement. */
export class Owners {
  /** Equal exactly where every repository has the same owners. */
  readonly epoch: string;
  readonly #names: readonly string[];
  readonly #byName: ReadonlyMap<string, ClusterNode>;
  readonly #copies: number;
  readonly #known = new Map<string, readonly ClusterNode[]>();

  constructor(nodes: readonly ClusterNode[], copies: number) {
    this.#names = nodes.map(({ name }) => name);
    this.#byName = new Map(nodes.map((node) => [node.name, node]));
    this.#copies = copies;
    this.epoch = createHash('sha256')
      .update(JSON.stringify([this.#names.toSorted(), copies]))
      .digest('hex')
      .slice(0, 16);
  }

  /** The first owner first. */
  of(repository: string): readonly ClusterNode[] {
    const before = this.#known.get(repository);
    if (before) return before;
    const found = ownersOf(repository, this.#names, this.#copies).flatMap((name) => this.#byName.get(name) ?? []);
    if (this.#known.size >= mostKnown) this.#known.clear();
    this.#known.set(repository, found);
    return found;
  }
}
