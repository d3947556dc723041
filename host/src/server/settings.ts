import { defaultGuardLimits } from '@sextant/core';
import type { GuardLimits } from '@sextant/core';
import { z } from 'zod';
import { network } from '../http/client-address.ts';
import { isAddress } from '../http/listening/listening-address.ts';

const endpointPath = z
  .string()
  .regex(/^\/\.api\/mcp\/[a-z0-9][a-z0-9-]{0,63}$/, 'must be a path such as /.api/mcp/review')
  .refine((path) => !/\/(all|deepsearch|v1)$/.test(path), 'is a built-in endpoint');

const processorSeconds = z.number().min(0.1).max(100_000);

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
      .describe('Calls in flight of one user, pages too; more are answered 429'),
    callsPerServer: z.int().min(1).max(100_000).default(256).describe('Calls in flight in all; more are answered 429'),
    callSeconds: z
      .number()
      .min(0.1)
      .max(3600)
      .default(defaultGuardLimits.timeoutMs / 1000)
      .describe('Longest time that a tool may take, or a page until it begins to answer'),
    resultCharacters: z
      .int()
      .min(1024)
      .max(16 * 1024 * 1024)
      .default(defaultGuardLimits.maxTextSize)
      .describe(
        'Largest text of a result, in bytes of ordinary code; a larger one, or one of as many tokens, is cut and says how to go on',
      ),
    tools: z
      .record(
        z.string(),
        z.strictObject({
          callsPerCaller: z.int().min(1).max(10_000).describe('Calls of the tool in flight of one user').optional(),
          callsPerServer: z.int().min(1).max(100_000).describe('Calls of the tool in flight in all').optional(),
          callSeconds: z.number().min(0.1).max(3600).describe('Longest time that the tool may take').optional(),
          processorSecondsPerCaller: processorSeconds
            .describe('Processor time in each minute for calls of the tool by one user')
            .optional(),
        }),
      )
      .default({})
      .describe('By the name of a tool: limits of its own; a call at one of them is refused and may be repeated'),
    processorSecondsPerCaller: processorSeconds
      .describe(
        'Processor time in each minute for the calls of one user, pages too, on threads and in git; then more are refused until the next minute. Default: no limit',
      )
      .optional(),
    memoryBytes: z
      .int()
      .min(256 * 1024 * 1024)
      .describe(
        'Memory of the process from which few calls are answered at once; caches are given up before, from 85 % of it. Default: nine tenths of what the container may have; none without a container',
      )
      .optional(),
    connections: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(4096)
      .describe('Open connections in all; never more than a quarter of the descriptors that the process may have'),
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

const isOrigin = (text: string): boolean => /^https?:/.test(text) && URL.parse(text)?.origin === text;

/** The keys of the configuration file that the host itself reads; plugins add theirs. */
export const hostSettings = z.object({
  externalURL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .describe('Where clients reach this server; default: the address it listens on')
    .optional(),
  host: z.string().min(1).max(253).describe('Address to listen on; --host comes first. Default: 127.0.0.1').optional(),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .describe('Port to listen on, 0: any free one; --port comes first. Default: 7080')
    .optional(),
  tls: z
    .strictObject({
      certificate: z.string().min(1).describe('PEM file of the certificate, and of those that vouch for it'),
      key: z.string().min(1).describe('PEM file of its private key'),
    })
    .describe('Listen with https; renewed files are used at once. Default: http, for a proxy with TLS in front')
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
  'cors.allowedOrigins': z
    .array(z.string().refine(isOrigin, 'must be an origin such as https://inspector.example.com, without a path'))
    .max(100)
    .default([])
    .describe(
      'Origins of web pages that may call MCP endpoints and fetch tokens from a browser; they never send cookies. None unless said',
    ),
  'metrics.listen': z
    .string()
    .refine(isAddress, 'must be an address and a port, such as 127.0.0.1:9464')
    .describe(
      'Where /metrics and /readyz tell everything without credentials, names of repositories too; a loopback address is advised. Default: nowhere',
    )
    .optional(),
  'auth.idpDynamicClientRegistrationEnabled': z
    .boolean()
    .default(true)
    .describe('false: clients can no longer register themselves, and those that did stop working'),
  logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info').describe('Least level that is logged'),
  limits,
});

export type HostSettings = z.output<typeof hostSettings>;

/** Bounds of each call of a tool. */
export const guardLimitsOf = ({ limits: { callSeconds, resultCharacters } }: HostSettings): GuardLimits => ({
  timeoutMs: callSeconds * 1000,
  maxTextSize: resultCharacters,
});
