import { setTimeout } from 'node:timers/promises';
import { Cluster } from '@sextant/contracts/nodes';
import { defineCommand, textTable, token } from '@sextant/core';
import { z } from 'zod';
import type { CatalogueReplica } from './replica.ts';

export const catalogueReplica = token<CatalogueReplica>('catalogue-replica', { isForServices: true });

/** Milliseconds in which nodes must answer. */
const answerMs = 5000;

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
        repositories: z.int(),
        waiting: z.int().describe('Of these, what it cannot read yet or any more'),
      }),
    ),
    repositories: z.int(),
    lackingCopies: z
      .int()
      .describe('Repositories of which an owner that answers has no copy, or an owner does not answer'),
  }),
  async run(_input, { cluster, replica }) {
    await Promise.race([replica.begin(), setTimeout(answerMs, undefined, { ref: false })]);
    const lost = new Set(replica.lost);
    const all = replica.all();
    const isWhole = (name: string): boolean =>
      cluster.ownersOf(name).every((node) => {
        const entry = replica.at(node, name);
        return !lost.has(node.name) && entry !== undefined && entry.absent === undefined;
      });
    return {
      epoch: cluster.epoch,
      nodes: cluster.nodes.map((node) => {
        const entries = all.flatMap(({ info }) => replica.at(node, info.name) ?? []);
        const waiting = entries.filter(({ absent }) => absent !== undefined).length;
        return { ...node, answers: !lost.has(node.name), repositories: entries.length, waiting };
      }),
      repositories: all.length,
      lackingCopies: all.filter(({ info }) => !isWhole(info.name)).length,
    };
  },
  toText: ({ epoch, nodes, repositories, lackingCopies }) => {
    const rows = nodes.map(({ name, url, answers, repositories: copies, waiting }) => [
      name,
      url,
      answers ? 'answers' : 'does not answer',
      String(copies),
      String(waiting),
    ]);
    const table = textTable([['node', 'url', 'state', 'copies', 'of these waiting'], ...rows]);
    const left = lackingCopies === 0 ? 'all copies are there' : `${lackingCopies} lack a copy`;
    return `${table}\n${repositories} repositories, ${left}. Placement ${epoch}.`;
  },
});
