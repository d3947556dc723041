import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Repositories } from '@sextant/contracts';
import { Cluster, Placement } from '@sextant/contracts/nodes';
import type { ClusterNode } from '@sextant/contracts/nodes';
import { SextantError, definePlugin, defineWrapper, optional } from '@sextant/core';
import { ownersOf } from '@sextant/library-node-protocol';
import { z } from 'zod';
import { CallerScopes, ScopedRepositories } from './scoped-repositories.ts';

const name = z.string().regex(/^[a-z0-9][a-z0-9.-]{0,62}$/, 'must be lower case letters, digits, "-" and "."');

const isLoopback = ({ hostname }: URL): boolean => ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);

const isURL = (text: string): boolean => {
  const url = URL.parse(text);
  return (
    url !== null && url.pathname === '/' && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)))
  );
};

const node = z.strictObject({
  name: name.describe('Its name; what it owns follows from it'),
  url: z
    .string()
    .refine(isURL, 'must be https://HOST:PORT; http:// only on this machine')
    .describe('Where hosts reach it, and where it listens'),
});

const cluster = z
  .strictObject({
    nodes: z
      .array(node)
      .min(1)
      .refine((nodes) => new Set(nodes.map((each) => each.name)).size === nodes.length, 'names a node twice')
      .describe('The code nodes'),
    copies: z.int().min(1).max(10).default(2).describe('Nodes that have each repository'),
    callerKey: z
      .string()
      .min(1)
      .describe('PEM of an Ed25519 key, which signs who makes a call; nodes need only the public one'),
    tls: z
      .strictObject({
        authority: z
          .string()
          .min(1)
          .describe('PEM file of the authority that signed the certificates of hosts and nodes'),
        certificate: z.string().min(1).describe('PEM file of the certificate of this host or node'),
        key: z.string().min(1).describe('PEM file of its private key'),
      })
      .optional()
      .describe('Hosts and nodes show each other certificates; absent: http, on one machine'),
    self: name.optional().describe('Which node this is; --node says it'),
  })
  .refine(
    ({ nodes, tls }) => tls !== undefined || nodes.every(({ url }) => url.startsWith('http:')),
    'needs "tls" for https',
  );

/** Repositories whose owners are kept: of each search of all of them they are asked for. */
const mostKnown = 500_000;

const scopes = new CallerScopes();

export default definePlugin({
  name: 'service-cluster',
  config: z.object({ cluster }),
  topLevel: ['cluster'],
  wrappers: [
    defineWrapper({
      service: optional(Repositories),
      wrap: (inner) => inner && new ScopedRepositories(inner, scopes),
    }),
  ],
  provides: { cluster: Cluster, placement: Placement },
  async start({ cluster: { nodes, copies, callerKey, tls: files, self: selfName } }, _services, { configFolder, log }) {
    const self = nodes.find((each) => each.name === selfName);
    if (selfName !== undefined && !self)
      throw new SextantError(
        'invalid_argument',
        `cluster.nodes has no node "${selfName}"; its names are ${nodes.map((each) => each.name).join(', ')}`,
      );
    if (!files)
      log.warn({}, 'WARNING: hosts and nodes speak without TLS; this is for one machine only. Set cluster.tls');
    const names = nodes.map((each) => each.name);
    const byName = new Map(nodes.map((each) => [each.name, each]));
    const read = (path: string): string => readFileSync(resolve(configFolder, path), 'utf8');
    const known = new Map<string, readonly ClusterNode[]>();
    const owners = (repository: string): readonly ClusterNode[] => {
      const before = known.get(repository);
      if (before) return before;
      const found = ownersOf(repository, names, copies).flatMap((each) => byName.get(each) ?? []);
      if (known.size >= mostKnown) known.clear();
      known.set(repository, found);
      return found;
    };
    const value: Cluster = {
      self,
      nodes,
      epoch: epochOf(names, copies),
      ownersOf: owners,
      scoped: (caller, repositories) => scopes.scoped(caller, repositories),
      callerKey,
      tls: files && { ca: read(files.authority), cert: read(files.certificate), key: read(files.key) },
    };
    const owns = (repository: string): boolean => self === undefined || owners(repository).includes(self);
    return { cluster: { value }, placement: { value: { owns } } };
  },
});

/** Equal exactly where every repository has the same owners. */
const epochOf = (names: readonly string[], copies: number): string =>
  createHash('sha256')
    .update(JSON.stringify([names.toSorted(), copies]))
    .digest('hex')
    .slice(0, 16);
