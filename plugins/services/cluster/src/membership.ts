import type { ClusterMember, ClusterMembers, ClusterNode, ClusterReport } from '@sextant/contracts/nodes';
import { SextantError, didYouMean, messageOf } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { protocolVersion } from '@sextant/library-node-protocol';
import type { Kysely } from 'kysely';
import type { ClusterTables } from './tables.ts';

const beatMs = 1000;
/** A node that was silent for so many seconds does not answer. */
const silentSeconds = 5;

export interface MembershipOptions {
  readonly db: Kysely<ClusterTables>;
  /** Undefined on a host. */
  readonly self: ClusterNode | undefined;
  /** Seconds of silence after which other nodes copy what a node had. */
  readonly lostSeconds: number;
  readonly log: Logger;
  /** Called when there are other members, or one is in another state. */
  onChange(): void;
  /** Of the placement by which this node has cloned what it has. */
  placedEpoch(): string;
}

interface Seen {
  readonly beats: number;
  readonly silentMs: number;
}

/**
 * The nodes as the database has them. Each adds to its row once a second; who sees that a row stays the same for too long
 * notes that its node is lost. So no clocks are compared, and all see the same placement.
 */
export class Membership implements ClusterMembers {
  readonly #options: MembershipOptions;
  #rows: readonly ClusterTables['cluster_node'][] = [];
  #seen: ReadonlyMap<string, Seen> = new Map();
  #readAt = performance.now();
  #report: (() => ClusterReport) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;
  #hasFailed = false;
  #isClosed = false;

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  async begin(): Promise<void> {
    await this.#read();
    this.#next();
  }

  /** This node has a row from now on. */
  async join(report: () => ClusterReport): Promise<void> {
    this.#report = report;
    await this.#write();
    await this.#read();
  }

  all(): readonly ClusterMember[] {
    return this.#rows.map(({ beats: _beats, ...row }) => ({
      ...row,
      silentSeconds: Math.floor((this.#seen.get(row.name)?.silentMs ?? 0) / 1000),
    }));
  }

  async drain(node: string, isDraining: boolean): Promise<void> {
    await this.#read();
    const names = this.#rows.map(({ name }) => name);
    if (!names.includes(node))
      throw new SextantError('not_found', `the cluster has no node "${node}".${didYouMean(node, names)}`);
    await this.#options.db
      .updateTable('cluster_node')
      .set({ state: isDraining ? 'draining' : 'serving' })
      .where('name', '=', node)
      .execute();
    await this.#read();
  }

  async rebalance(): Promise<string[]> {
    const silent = this.all().filter((member) => member.silentSeconds >= silentSeconds && member.state !== 'lost');
    for (const { name, state } of silent) {
      const { db } = this.#options;
      if (state === 'draining') await db.deleteFrom('cluster_node').where('name', '=', name).execute();
      else await db.updateTable('cluster_node').set({ state: 'lost' }).where('name', '=', name).execute();
    }
    await this.#read();
    return silent.map(({ name }) => name);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#beating;
  }

  #next(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#beating = this.#beat().finally(() => this.#next());
    }, beatMs).unref();
  }

  /** What was read last holds while the database cannot be reached. */
  async #beat(): Promise<void> {
    try {
      if (this.#report) await this.#write();
      await this.#read();
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#options.log.warn({}, `the nodes of the cluster are not seen: ${messageOf(error)}`);
      this.#hasFailed = true;
    }
  }

  async #write(): Promise<void> {
    const { db, self, placedEpoch } = this.#options;
    if (!self || !this.#report) return;
    const said = { url: self.url, epoch: placedEpoch(), protocol: protocolVersion, ...this.#report() };
    await db
      .insertInto('cluster_node')
      .values({ name: self.name, state: 'serving', beats: 1, ...said })
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet((row) => ({ ...said, beats: row('cluster_node.beats', '+', 1) })),
      )
      .execute();
    await db
      .updateTable('cluster_node')
      .set({ state: 'serving' })
      .where('name', '=', self.name)
      .where('state', '=', 'lost')
      .execute();
  }

  async #read(): Promise<void> {
    const { db, onChange } = this.#options;
    const before = shapeOf(this.#rows);
    const rows = await db.selectFrom('cluster_node').selectAll().orderBy('name').execute();
    const now = performance.now();
    // A time in which nothing could be read says nothing of the nodes.
    const elapsed = Math.min(now - this.#readAt, 2 * beatMs);
    this.#readAt = now;
    this.#seen = new Map(
      rows.map(({ name, beats }) => {
        const known = this.#seen.get(name);
        return [name, { beats, silentMs: known?.beats === beats ? known.silentMs + elapsed : 0 }];
      }),
    );
    this.#rows = rows;
    if (shapeOf(rows) !== before) onChange();
    await this.#noteLost();
  }

  async #noteLost(): Promise<void> {
    const { db, lostSeconds, log } = this.#options;
    for (const { name, beats, state } of this.#rows) {
      if (state !== 'serving' || (this.#seen.get(name)?.silentMs ?? 0) < lostSeconds * 1000) continue;
      log.warn({ node: name }, `a code node was silent for ${lostSeconds} s; others copy what it had`);
      await db
        .updateTable('cluster_node')
        .set({ state: 'lost' })
        .where('name', '=', name)
        .where('beats', '=', beats)
        .execute();
    }
  }
}

/** All of the rows that decides about owners, and whether they have their copies. */
const shapeOf = (rows: readonly ClusterTables['cluster_node'][]): string =>
  JSON.stringify(rows.map(({ name, url, state, epoch, waiting }) => [name, url, state, epoch, waiting === 0]));
