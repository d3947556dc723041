import { setTimeout } from 'node:timers/promises';
import { Cluster } from '@sextant/contracts/nodes';
import type { ClusterMembers } from '@sextant/contracts/nodes';
import { SextantError, defineCommand } from '@sextant/core';
import { z } from 'zod';
import { catalogueReplica, whenKnown } from './cluster-status.ts';
import { copiesOf } from './copies.ts';

/** Milliseconds between two looks at how far the copies are. */
const lookMs = 500;
/** Milliseconds in which this process hears whether nodes are silent. */
const listenMs = 7000;

export const clusterDrain = defineCommand({
  name: 'cluster drain',
  summary: 'have other nodes copy all that a code node has, and wait until it may be stopped',
  input: z.object({
    node: z.string().describe('Name of the node'),
    back: z.boolean().default(false).describe('Have it own its share again'),
    wait: z.boolean().default(true).describe('Wait until the other copies are there'),
  }),
  positionals: ['node'],
  needs: { cluster: Cluster, replica: catalogueReplica },
  output: z.object({ node: z.string(), isDrained: z.boolean(), lackingCopies: z.int() }),
  async run({ node, back, wait }, { cluster, replica }) {
    await whenKnown(replica);
    await membersOf(cluster).drain(node, !back);
    const lacking = (): number => copiesOf(cluster, replica).lacking.length;
    if (wait) while (lacking() > 0) await setTimeout(lookMs);
    const lackingCopies = lacking();
    return { node, isDrained: !back && lackingCopies === 0, lackingCopies };
  },
  toText: ({ node, isDrained, lackingCopies }) =>
    isDrained
      ? `All that ${node} has is on other nodes. It may be stopped.`
      : `${lackingCopies === 0 ? 'All copies are there' : `${lackingCopies} repositories lack a copy`}; ${node} goes on answering.`,
});

export const clusterRebalance = defineCommand({
  name: 'cluster rebalance',
  summary: 'have other nodes copy what those had that do not answer, without waiting for cluster.lostSeconds',
  input: z.object({}),
  needs: { cluster: Cluster },
  output: z.object({ left: z.array(z.string()), epoch: z.string() }),
  async run(_input, { cluster }) {
    const members = membersOf(cluster);
    await setTimeout(listenMs);
    const left = await members.rebalance();
    return { left, epoch: cluster.epoch };
  },
  toText: ({ left, epoch }) =>
    `${left.length === 0 ? 'All nodes answer' : `${left.join(', ')} own nothing any more`}. Placement ${epoch}.`,
});

function membersOf({ members }: Cluster): ClusterMembers {
  if (members) return members;
  throw new SextantError(
    'invalid_argument',
    'cluster.nodes lists the nodes of this cluster: change the list; with cluster.nodeURL the database knows them',
  );
}
