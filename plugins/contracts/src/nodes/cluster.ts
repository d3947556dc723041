import { token } from '@sextant/core';
import type { Caller } from '@sextant/core';

export interface ClusterNode {
  readonly name: string;
  /** Where hosts reach it: `https://…`, or `http://` on this machine. */
  readonly url: string;
}

/** The code nodes of the configuration, and what host and node need to speak with each other. */
export interface Cluster {
  /** This node; undefined on a host. */
  readonly self: ClusterNode | undefined;
  readonly nodes: readonly ClusterNode[];
  /** Names the placement: the same exactly where nodes and copies are. */
  readonly epoch: string;
  /** The nodes that own a repository, the first owner first. */
  ownersOf(repository: string): readonly ClusterNode[];
  /** The same caller, to whom `Repositories` shows none but these repositories: for one part of an answer. */
  scoped(caller: Caller, repositories: readonly string[]): Caller;
  /** PEM of the key of the hosts (Ed25519): on a host the private one. */
  readonly callerKey: string;
  /** PEM texts: the certificate authority of the cluster, and the certificate and key of this process. Undefined: plain HTTP/2. */
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string } | undefined;
}

export const Cluster = token<Cluster>('cluster', { isForServices: true });
