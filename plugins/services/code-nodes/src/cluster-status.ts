import { setTimeout } from 'node:timers/promises';
import { Cluster } from '@sextant/contracts/nodes';
import type { ClusterMember } from '@sextant/contracts/nodes';
import { defineCommand, textTable, token } from '@sextant/core';
import { z } from 'zod';
import { copiesOf } from './copies.ts';
import type { CatalogueReplica } from './replica.ts';

export const catalogueReplica = token<CatalogueReplica>('catalogue-replica', { isForServices: true });

/** Milliseconds in which nodes must answer. */
const answerMs = 5000;

/** Waits for what the nodes have, as far as they answer. */
export const whenKnown = (replica: CatalogueReplica): Promise<unknown> =>
  Promise.race([replica.begin(), setTimeout(answerMs, undefined, { ref: false })]);

export const clusterStatus = defineCommand({
  name: 'cluster status',
  summary: 'show whether the code nodes answer, and which copies they have',
  input: z.object({}),
  needs: { cluster: Cluster, replica: catalogueReplica },
  output: z.object({
    epoch: z.string(),
    nodes: z.array(
      z.object({
        name: z.string(),
        url: z.string(),
        answers: z.boolean(),
        state: z.string().describe('What the database says of it, and why it does not answer'),
        repositories: z.int(),
        waiting: z.int().describe('Of these, what it cannot read yet or any more'),
        behind: z.int().describe('Of these, what another copy has fetched later'),
        lagSeconds: z.int().describe('By how much, at most'),
        left: z.int().optional().describe('Clones besides, which others own; absent: the node did not say'),
      }),
    ),
    repositories: z.int(),
    lackingCopies: z
      .int()
      .describe('Repositories of which an owner that answers has no copy, or an owner does not answer'),
  }),
  async run(_input, { cluster, replica }) {
    await whenKnown(replica);
    const { problems } = replica;
    const members = new Map(cluster.members?.all().map((member) => [member.name, member]));
    const known = new Map([...members, ...cluster.nodes.map((node) => [node.name, node] as const)]);
    const copies = copiesOf(cluster, replica);
    const left = await leftOn(cluster, replica);
    return {
      epoch: cluster.epoch,
      nodes: [...known.values()].map(({ name, url }) => ({
        name,
        url,
        answers: replica.isFollowed(name),
        state: stateOf(members.get(name), problems.get(name)),
        ...copies.of(name),
        left: left.get(name),
      })),
      repositories: replica.all().length,
      lackingCopies: copies.lacking.length,
    };
  },
  toText: ({ epoch, nodes, repositories, lackingCopies }) => {
    const rows = nodes.map((node) => [
      node.name,
      node.url,
      node.state,
      String(node.repositories),
      String(node.waiting),
      node.behind === 0 ? '-' : `${node.behind}, up to ${node.lagSeconds} s`,
      node.left === 0 ? '-' : String(node.left ?? '?'),
    ]);
    const table = textTable([
      ['node', 'url', 'state', 'copies', 'of these waiting', 'behind', 'no longer owned'],
      ...rows,
    ]);
    const left = lackingCopies === 0 ? 'all copies are there' : `${lackingCopies} lack a copy`;
    return `${table}\n${repositories} repositories, ${left}. Placement ${epoch}.`;
  },
});

/** How many clones nodes have that others own; undefined where a node does not say. */
async function leftOn({ nodes }: Cluster, replica: CatalogueReplica): Promise<ReadonlyMap<string, number | undefined>> {
  const asked = nodes
    .filter(({ name }) => replica.isFollowed(name))
    .map(async (node) => {
      const copies = await replica.copies(node).catch(() => undefined);
      return [node.name, copies?.left.length] as const;
    });
  return new Map(await Promise.all(asked));
}

function stateOf(member: ClusterMember | undefined, problem: string | undefined): string {
  const state = member && member.state !== 'serving' ? `${member.state}: ` : '';
  if (member?.state === 'lost') return `lost: it was silent for too long, and owns nothing`;
  return `${state}${problem === undefined ? 'answers' : `does not answer: ${problem}`}`;
}
