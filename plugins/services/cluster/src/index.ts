import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Database, Repositories } from '@sextant/contracts';
import { Cluster, Placement } from '@sextant/contracts/nodes';
import type { ClusterNode } from '@sextant/contracts/nodes';
import { Hosts, SextantError, definePlugin, defineWrapper, optional } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { z } from 'zod';
import { Membership } from './membership.ts';
import { CurrentPlacement } from './current-placement.ts';
import { CallerScopes, ScopedRepositories } from './scoped-repositories.ts';
import { migrations } from './tables.ts';
import type { ClusterTables } from './tables.ts';

const name = z.string().regex(/^[a-z0-9][a-z0-9.-]{0,62}$/, 'must be lower case letters, digits, "-" and "."');

const isLoopback = ({ hostname }: URL): boolean => ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);

/** Of a node, or of all with a place for the name. */
const isURL = (text: string): boolean => {
  const url = URL.parse(urlOf(text, 'node'));
  return (
    url !== null && url.pathname === '/' && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)))
  );
};

const urlOf = (pattern: string, name: string): string => pattern.replaceAll('{node}', name);

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
      .optional()
      .describe('The code nodes; absent: those that the database of service-postgres knows'),
    nodeURL: z
      .string()
      .refine(isURL, 'must be https://HOST:PORT, with {node} for the name of the node; http:// only on this machine')
      .optional()
      .describe('Where hosts reach a node that the database knows, and where it listens; {node} is its name'),
    lostSeconds: z
      .number()
      .min(1)
      .max(86_400)
      .default(600)
      .describe('Seconds of silence after which other nodes copy what a node of the database had'),
    copies: z.int().min(1).max(10).default(2).describe('Nodes that have each repository'),
    graceSeconds: z
      .number()
      .min(1)
      .max(604_800)
      .default(3600)
      .describe('Seconds for which a node keeps a clone of a repository that other nodes own and have'),
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
    ({ nodes, nodeURL }) => (nodes === undefined) !== (nodeURL === undefined),
    'needs "nodes", or "nodeURL" where the database knows the nodes',
  )
  .refine(
    ({ nodes = [], nodeURL, tls }) =>
      tls !== undefined || [nodeURL ?? 'http:', ...nodes.map(({ url }) => url)].every((url) => url.startsWith('http:')),
    'needs "tls" for https',
  );

const scopes = new CallerScopes();

export default definePlugin({
  name: 'service-cluster',
  config: z.object({ cluster }),
  topLevel: ['cluster'],
  needs: { database: optional(Database), hosts: optional(Hosts) },
  wrappers: [
    defineWrapper({
      service: optional(Repositories),
      wrap: (inner) => inner && new ScopedRepositories(inner, scopes),
    }),
  ],
  provides: { cluster: Cluster, placement: Placement },
  async start({ cluster: settings }, { database, hosts }, { configFolder, log }) {
    const { nodes, nodeURL, copies, lostSeconds, graceSeconds, callerKey, tls: files, self: selfName } = settings;
    if (!files)
      log.warn({}, 'WARNING: hosts and nodes speak without TLS; this is for one machine only. Set cluster.tls');
    const read = (path: string): string => readFileSync(resolve(configFolder, path), 'utf8');
    const tls = files && { ca: read(files.authority), cert: read(files.certificate), key: read(files.key) };
    const self = nodes
      ? listedSelf(nodes, selfName)
      : selfName === undefined
        ? undefined
        : { name: selfName, url: urlOf(nodeURL ?? '', selfName) };
    const placement = new CurrentPlacement({ self, copies, graceSeconds, nodes: nodes ?? [] });
    const members = nodes ? undefined : await openMembers({ database, hosts, self, lostSeconds, log, placement });
    const value: Cluster = {
      self,
      get nodes() {
        return placement.nodes;
      },
      members,
      get epoch() {
        return placement.epoch;
      },
      onChange: (listener) => placement.onChange(listener),
      join: async (report) => members?.join(report),
      graceSeconds,
      ownersOf: (repository) => placement.ownersOf(repository),
      scoped: (caller, repositories) => scopes.scoped(caller, repositories),
      callerKey,
      tls,
    };
    return { cluster: { value, close: async () => members?.close() }, placement: { value: placement } };
  },
});

function listedSelf(nodes: readonly ClusterNode[], name: string | undefined): ClusterNode | undefined {
  const self = nodes.find((each) => each.name === name);
  if (name === undefined || self) return self;
  throw new SextantError(
    'invalid_argument',
    `cluster.nodes has no node "${name}"; its names are ${nodes.map((each) => each.name).join(', ')}`,
  );
}

interface MembersParts {
  readonly database: Database | undefined;
  readonly hosts: Hosts | undefined;
  readonly self: ClusterNode | undefined;
  readonly lostSeconds: number;
  readonly log: Logger;
  readonly placement: CurrentPlacement;
}

async function openMembers({ database, hosts, placement, ...parts }: MembersParts): Promise<Membership> {
  if (!database || !hosts)
    throw new SextantError(
      'invalid_argument',
      'cluster.nodeURL needs a database that all hosts and nodes have: set up service-postgres, or list cluster.nodes',
    );
  const db = await database.open<ClusterTables>({ name: 'cluster', migrations, isLog: true });
  const members: Membership = new Membership({
    ...parts,
    db,
    onChange: () => placement.follow(members.all()),
    placedEpoch: () => placement.placedEpoch,
  });
  await members.begin();
  return members;
}
