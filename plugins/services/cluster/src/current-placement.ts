import type { ClusterMember, ClusterNode, Placement } from '@sextant/contracts/nodes';
import { Owners } from './owners.ts';

export interface CurrentPlacementOptions {
  /** Undefined on a host. */
  readonly self: ClusterNode | undefined;
  readonly copies: number;
  readonly graceSeconds: number;
  /** Of the configuration; none where the database knows them. */
  readonly nodes: readonly ClusterNode[];
}

/** Who owns what at this moment. It changes with the nodes that the database knows. */
export class CurrentPlacement implements Placement {
  readonly #options: CurrentPlacementOptions;
  readonly #listeners = new Set<() => Promise<void> | void>();
  #owners: Owners;
  #nodes: readonly ClusterNode[];
  #placedEpoch: string;
  isMoving = false;

  constructor(options: CurrentPlacementOptions) {
    this.#options = options;
    this.#nodes = options.nodes;
    this.#owners = new Owners(options.nodes, options.copies);
    this.#placedEpoch = this.#owners.epoch;
  }

  get graceSeconds(): number {
    return this.#options.graceSeconds;
  }

  get nodes(): readonly ClusterNode[] {
    return this.#nodes;
  }

  get epoch(): string {
    return this.#owners.epoch;
  }

  /** Of the newest placement that all who listen have followed. */
  get placedEpoch(): string {
    return this.#placedEpoch;
  }

  ownersOf(repository: string): readonly ClusterNode[] {
    return this.#owners.of(repository);
  }

  /** A host owns all. */
  owns(repository: string): boolean {
    const { self } = this.#options;
    return self === undefined || this.ownersOf(repository).some(({ name }) => name === self.name);
  }

  onChange(listener: () => Promise<void> | void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  follow(members: readonly ClusterMember[]): void {
    const { self, copies } = this.#options;
    const serving = members.filter(({ state }) => state === 'serving');
    const owners = new Owners(serving.map(nodeOf), copies);
    if (owners.epoch !== this.epoch || !isSame(serving, this.#nodes)) this.#owners = owners;
    this.#nodes = members.filter(({ state }) => state !== 'lost').map(nodeOf);
    const isWhole = ({ epoch, waiting }: ClusterMember): boolean => epoch === this.epoch && waiting === 0;
    // A node that is being drained gives what it has for as long as it runs.
    this.isMoving = !serving.every(isWhole) || !serving.some(({ name }) => name === self?.name);
    void this.#tell();
  }

  async #tell(): Promise<void> {
    const { epoch } = this;
    await Promise.all([...this.#listeners].map(async (listener) => listener()));
    if (epoch === this.epoch) this.#placedEpoch = epoch;
  }
}

const nodeOf = ({ name, url }: ClusterMember): ClusterNode => ({ name, url });

const isSame = (some: readonly ClusterNode[], others: readonly ClusterNode[]): boolean =>
  some.every(({ name, url }) => others.some((other) => other.name === name && other.url === url));
