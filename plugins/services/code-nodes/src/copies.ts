import type { Cluster, ClusterNode } from '@sextant/contracts/nodes';
import type { CatalogueReplica } from './replica.ts';

/** What a node has. */
export interface NodeCopies {
  readonly repositories: number;
  readonly waiting: number;
  readonly behind: number;
  readonly lagSeconds: number;
}

export interface Copies {
  of(node: string): NodeCopies;
  /** Repositories of which an owner cannot give its copy. */
  readonly lacking: readonly string[];
}

/** The copies of all nodes, compared: one is behind by how much later another was fetched. */
export function copiesOf(cluster: Cluster, replica: CatalogueReplica): Copies {
  const all = replica.all().map(({ info: { name } }) => name);
  const counts = new Map<string, { -readonly [K in keyof NodeCopies]: NodeCopies[K] }>();
  for (const name of all) {
    const copies = cluster.nodes.flatMap((node) => {
      const entry = replica.at(node, name);
      return entry ? [{ node, entry, fetchedMs: Date.parse(entry.info.clone?.fetched ?? '') }] : [];
    });
    const newest = Math.max(...copies.map(({ fetchedMs }) => fetchedMs).filter((ms) => !Number.isNaN(ms)));
    for (const { node, entry, fetchedMs } of copies) {
      const count = counts.get(node.name) ?? { ...none };
      counts.set(node.name, count);
      count.repositories += 1;
      if (entry.absent) count.waiting += 1;
      const lagSeconds = Math.round((newest - fetchedMs) / 1000);
      if (lagSeconds > 0) count.behind += 1;
      if (lagSeconds > count.lagSeconds) count.lagSeconds = lagSeconds;
    }
  }
  return {
    of: (node) => counts.get(node) ?? none,
    lacking: all.filter((name) => !isWhole(name, cluster.ownersOf(name), replica)),
  };
}

/** Whether all owners of a repository answer and can read it. */
export const isWhole = (name: string, owners: readonly ClusterNode[], replica: CatalogueReplica): boolean =>
  owners.every((node) => {
    const entry = replica.at(node, name);
    return replica.isFollowed(node.name) && entry !== undefined && entry.absent === undefined;
  });

const none: NodeCopies = { repositories: 0, waiting: 0, behind: 0, lagSeconds: 0 };
