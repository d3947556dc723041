import { token } from '@sextant/core';
import type { Caller } from '@sextant/core';

export interface ClusterNode {
  readonly name: string;
  /** Where hosts reach it: `https://…`, or `http://` on this machine. */
  readonly url: string;
}

/** A node as it says of itself in the database. */
export interface ClusterMember extends ClusterNode {
  /** `draining`: it owns nothing any more, and gives what it has. `lost`: it was silent for too long, and owns nothing. */
  readonly state: 'serving' | 'draining' | 'lost';
  /** Of the placement by which it cloned what it has. */
  readonly epoch: string;
  /** Version of the protocol that it speaks. */
  readonly protocol: number;
  /** Repositories that it has. */
  readonly repositories: number;
  /** Of these, what it cannot read yet or any more. */
  readonly waiting: number;
  /** Seconds for which it was silent, as far as this process saw it. */
  readonly silentSeconds: number;
}

/** The nodes that the database knows. */
export interface ClusterMembers {
  all(): readonly ClusterMember[];
  /** Has a node own nothing any more, or own its share again. Throws `not_found`. */
  drain(node: string, isDraining: boolean): Promise<void>;
  /** Takes nodes out of the placement that do not answer, and forgets those that were drained. Answers their names. */
  rebalance(): Promise<string[]>;
}

/** What a node has, for the others. */
export type ClusterReport = Pick<ClusterMember, 'repositories' | 'waiting'>;

/** The code nodes, and what host and node need to speak with each other. */
export interface Cluster {
  /** This node; undefined on a host. */
  readonly self: ClusterNode | undefined;
  /** All that may have copies, those included that are being drained. */
  readonly nodes: readonly ClusterNode[];
  /** Undefined where the configuration lists the nodes. */
  readonly members: ClusterMembers | undefined;
  /** Names the placement: the same exactly where nodes and copies are. */
  readonly epoch: string;
  /** Calls back when there are other nodes, or other owners. */
  onChange(listener: () => Promise<void> | void): () => void;
  /** A node serves from now on, and says what it has. */
  join(report: () => ClusterReport): Promise<void>;
  /** The nodes that own a repository, the first owner first. */
  ownersOf(repository: string): readonly ClusterNode[];
  /** Seconds for which a node keeps what others own and have. */
  readonly graceSeconds: number;
  /** The same caller, to whom `Repositories` shows none but these repositories: for one part of an answer. */
  scoped(caller: Caller, repositories: readonly string[]): Caller;
  /** PEM of the key of the hosts (Ed25519): on a host the private one. */
  readonly callerKey: string;
  /** PEM texts: the certificate authority of the cluster, and the certificate and key of this process. Undefined: plain HTTP/2. */
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string } | undefined;
}

export const Cluster = token<Cluster>('cluster', { isForServices: true });
