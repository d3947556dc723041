import { createHash } from 'node:crypto';

/**
 * Which nodes own a repository: those of the highest weights of node and repository, the first owner first (rendezvous
 * hashing). When a node comes or goes, only what it owns moves.
 */
export function ownersOf(repository: string, nodes: readonly string[], copies: number): string[] {
  const own = hashOf(repository);
  const rated = nodes.map((node) => ({ node, weight: mixed(own, nodeHash(node)) }));
  rated.sort((a, b) => b.weight - a.weight || (a.node < b.node ? -1 : 1));
  return rated.slice(0, copies).map(({ node }) => node);
}

const nodeHashes = new Map<string, number>();

/** Kept: there are few nodes, and each is asked for with every repository. */
function nodeHash(node: string): number {
  const hash = nodeHashes.get(node) ?? hashOf(node);
  nodeHashes.set(node, hash);
  return hash;
}

const hashOf = (text: string): number => createHash('sha256').update(text).digest().readInt32BE();

/** The end of MurmurHash3 (32 bits): each bit of both decides half of the bits of the weight. */
function mixed(repository: number, node: number): number {
  let hash = repository ^ node;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
