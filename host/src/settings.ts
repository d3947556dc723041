import type { GuardLimits } from '@sextant/core';
import { z } from 'zod';
import { network } from './client-address.ts';

const endpointPath = z
  .string()
  .regex(/^\/\.api\/mcp\/[a-z0-9][a-z0-9-]{0,63}$/, 'must be a path such as /.api/mcp/review')
  .refine((path) => !/\/(all|deepsearch|v1)$/.test(path), 'is a built-in endpoint');

/** The part of Node's report on the process that has the limits; systems without them have no such part. */
const userLimits = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.string()]) }) }),
});

const limits = z
  .strictObject({
    requestBytes: z
      .int()
      .min(1024)
      .max(256 * 1024 * 1024)
      .default(4 * 1024 * 1024)
      .describe('Largest request body'),
    callsPerCaller: z
      .int()
      .min(1)
      .max(10_000)
      .default(16)
      .describe('Calls in flight of one user; more are answered 429'),
    callsPerServer: z.int().min(1).max(100_000).default(256).describe('Calls in flight in all; more are answered 429'),
    callSeconds: z.number().min(0.1).max(3600).default(60).describe('Longest time that a tool may take'),
    resultCharacters: z
      .int()
      .min(1024)
      .max(16 * 1024 * 1024)
      .default(256 * 1024)
      .describe('Longest text of a result'),
    connections: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(4096)
      .describe('Open connections in all; never more than half of the descriptors that the process may have'),
    connectionsPerAddress: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(512)
      .describe(
        'Open connections of one address (of IPv6: one /64), trusted proxies aside; never more than half of `connections`',
      ),
  })
  .prefault({});

/** The keys of the configuration file that the host itself reads; plugins add theirs. */
export const hostSettings = z.object({
  externalURL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .describe('Where clients reach this server; default: the address it listens on')
    .optional(),
  trustedProxies: z
    .array(network)
    .default([])
    .describe(
      'Addresses or networks of proxies in front of this server, whose X-Forwarded-For is believed; none unless said',
    ),
  endpoints: z
    .record(endpointPath, z.array(z.string()).min(1))
    .default({})
    .describe('Endpoints of your own: path to the names of its tools'),
  'mcp.enabled': z.boolean().default(true).describe('false: every MCP endpoint answers 404'),
  'mcp.tools.disabled': z.array(z.string()).default([]).describe('Tools that vanish from every endpoint'),
  'auth.idpDynamicClientRegistrationEnabled': z
    .boolean()
    .default(true)
    .describe('false: clients can no longer register themselves, and those that did stop working'),
  logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info').describe('Least level that is logged'),
  limits,
});

export type HostSettings = z.output<typeof hostSettings>;

/** The bounds of connections in force: files, git and the database need descriptors too, and no address may take all. */
export function connectionLimits({ connections: wanted, connectionsPerAddress }: HostSettings['limits']): {
  connections: number;
  connectionsPerAddress: number;
} {
  const connections = Math.min(wanted, Math.max(1, Math.floor(mostDescriptors / 2)));
  return { connections, connectionsPerAddress: Math.min(connectionsPerAddress, Math.max(1, Math.floor(connections / 2))) };
}

/** Files and connections that the process may have open; Node raises the limit to the highest that is allowed when it starts. */
const mostDescriptors = descriptorLimit();

function descriptorLimit(): number {
  // What else stands in a report takes long to find.
  process.report.excludeNetwork = true;
  const { data } = userLimits.safeParse(process.report.getReport());
  const limit = data?.userLimits.open_files.soft;
  return typeof limit === 'number' ? limit : Infinity;
}

/** Bounds of each call of a tool. */
export const guardLimitsOf = ({ limits: { callSeconds, resultCharacters } }: HostSettings): GuardLimits => ({
  timeoutMs: callSeconds * 1000,
  maxTextLength: resultCharacters,
});
