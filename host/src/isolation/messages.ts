import { activities, capabilities, errorCodes, steps } from '@sextant/core';
import type { ErrorCode, JsonSchema, Remote } from '@sextant/core';
import { z } from 'zod';

/** What the server tells the process of a plugin. */
export type ToPlugin =
  | { type: 'start'; settings: unknown; dataFolder: string; externalURL: string; configFolder: string }
  | ({ type: 'call' } & StartedCall)
  | { type: 'cancel'; call: number; code: ErrorCode; message: string }
  | { type: 'reply'; id: number; ok: true; value: ReplyValue }
  | { type: 'reply'; id: number; ok: false; error: SentError }
  | { type: 'callback'; call: number; function: number; args: readonly unknown[] }
  | { type: 'ping' };

export interface StartedCall {
  call: number;
  tool: string;
  input: unknown;
  /** For the tool to look at. Who it is for the services is decided by the server. */
  caller: unknown;
  endpoint: string;
  clientName: string | undefined;
  remoteAddress: string | undefined;
  services: Readonly<Record<string, SentService>>;
}

/** A service as a tool in another process has it. */
export interface SentService {
  methods: Remote;
  data: Readonly<Record<string, unknown>>;
}

/** A value, or an object of the server with methods that can be called. */
export type ReplyValue =
  | { kind: 'value'; value: unknown }
  | { kind: 'object'; ref: number; methods: readonly string[]; data: Readonly<Record<string, unknown>> };

export interface SentError {
  code: ErrorCode;
  message: string;
  retryAfterSeconds?: number | undefined;
}

const short = z.string().max(200);
const id = z.int().min(0);
const object = z.record(z.string(), z.unknown());
const tool = z.object({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
  title: short,
  description: z.string().max(4000),
  endpoints: z
    .array(
      z.union([
        z.enum(['default', 'deepsearch']),
        z.object({ endpoint: z.enum(['default', 'deepsearch']), unless: short }),
      ]),
    )
    .max(2),
  activity: z.enum(activities),
  guidance: z.partialRecord(z.enum(steps), z.string().max(300)),
  isReadOnly: z.boolean(),
  rest: z.string().max(500),
  inputSchema: z.custom<JsonSchema>((value) => isSmallObject(value)),
  outputSchema: z.custom<JsonSchema>((value) => isSmallObject(value)),
  needs: z.record(short, z.object({ name: short, isOptional: z.boolean(), isOwn: z.boolean() })),
});

const mostSchema = 64 * 1024;
const isSmallObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && JSON.stringify(value).length <= mostSchema;

/** What a plugin says of itself before it is started. */
export const description = z.object({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/)
    .max(100),
  capabilities: z.array(z.enum(capabilities)).max(10),
  configSchema: z.custom<JsonSchema>((value) => isSmallObject(value)),
  topLevel: z.array(short).max(100),
  /** What it has that only a plugin in the server's process can have. */
  unfit: z.array(short).max(20),
  tools: z.array(tool).max(100),
});
export type Description = z.output<typeof description>;
export type DescribedTool = z.output<typeof tool>;

const definition = z.object({
  name: short,
  help: short,
  labels: z.array(short).max(10).optional(),
  buckets: z.array(z.number()).max(50).optional(),
});

/** What the process of a plugin tells the server. Anything else ends it. */
export const fromPlugin = z.discriminatedUnion('type', [
  z.object({ type: z.literal('described'), plugin: description }),
  z.object({ type: z.literal('started') }),
  z.object({ type: z.literal('failed'), reason: z.string().max(4000) }),
  z.object({ type: z.literal('answer'), call: id, structured: object, text: z.string(), files: z.array(z.string()) }),
  z.object({
    type: z.literal('error'),
    call: id,
    /** Absent: nothing that a caller may see. */
    code: z.enum(errorCodes).optional(),
    message: z.string().max(8000),
    retryAfterSeconds: z.number().optional(),
  }),
  z.object({ type: z.literal('ask'), id, call: id, service: short, method: short, args: z.array(z.unknown()).max(10) }),
  z.object({ type: z.literal('askObject'), id, call: id, ref: id, method: short, args: z.array(z.unknown()).max(10) }),
  z.object({ type: z.literal('aborted'), call: id, signal: id }),
  z.object({
    type: z.literal('progress'),
    call: id,
    progress: z.number(),
    total: z.number().optional(),
    message: z.string().max(500).optional(),
  }),
  z.object({ type: z.literal('credits'), call: id, credits: z.number().min(0).max(1_000_000) }),
  z.object({
    type: z.literal('log'),
    level: z.enum(['debug', 'info', 'warn', 'error']),
    fields: object,
    message: z.string(),
  }),
  z.object({
    type: z.literal('metric'),
    kind: z.enum(['counter', 'gauge', 'histogram']),
    definition,
    value: z.number(),
    labels: z.record(short, short),
  }),
  z.object({ type: z.literal('pong') }),
]);
export type FromPlugin = z.output<typeof fromPlugin>;
