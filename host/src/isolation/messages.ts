import { activities, capabilities, errorCodes, scopes, steps } from '@sextant/core';
import type { Completion, ErrorCode, JsonSchema, Permission, Remote, ResourceVariables } from '@sextant/core';
import { z } from 'zod';

/** What the server tells the process of a plugin. */
export type ToPlugin =
  | {
      type: 'start';
      settings: unknown;
      dataFolder: string;
      externalURL: string;
      configFolder: string;
      /** Those that its `start` needs, by the names of their tokens. */
      services: SentServices;
    }
  /** All plugins have started. */
  | { type: 'ready' }
  | { type: 'close' }
  | ({ type: 'call' } & StartedCall)
  /** Asks a report for its next rows. */
  | { type: 'more'; call: number }
  | ({ type: 'cancel'; call: number } & Pick<SentError, 'code' | 'message'>)
  | { type: 'reply'; id: number; ok: true; value: ReplyValue }
  | { type: 'reply'; id: number; ok: false; error: SentError }
  | { type: 'callback'; call: number; function: number; args: readonly unknown[] }
  | { type: 'ping' };

/** What a call is for: something that the plugin brings, by its name. */
export type Work =
  | { kind: 'tool'; name: string; input: unknown }
  | { kind: 'columns'; name: string; query: unknown }
  | { kind: 'report'; name: string; query: unknown }
  | { kind: 'page'; name: string; request: SentRequest }
  | { kind: 'resource'; name: string; variables: ResourceVariables }
  | { kind: 'completion'; name: string; asked: Completion }
  | { kind: 'prompt'; name: string; given: unknown };

/** A request without what shows who sent it. */
export interface SentRequest {
  method: string;
  url: string;
  headers: readonly (readonly [string, string])[];
  body: Uint8Array | undefined;
}

export interface StartedCall {
  call: number;
  work: Work;
  /** For the plugin to look at. Who it is for the services is decided by the server. */
  caller: unknown;
  endpoint: string;
  clientName: string | undefined;
  remoteAddress: string | undefined;
  navigation: unknown;
  /** Of a call that is canceled already. */
  canceled: Pick<SentError, 'code' | 'message'> | undefined;
  services: SentServices;
}

/** By the names of their tokens. */
export type SentServices = Readonly<Record<string, SentService>>;

/** A service as a plugin in another process has it. */
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
const long = z.string().max(4000);
const id = z.int().min(0);
const object = z.record(z.string(), z.unknown());
const texts = z.array(z.string().max(4096)).max(10_000);
const wireName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);
/** Of a report or page. */
const plainName = z.string().regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'must be kebab-case');
const needs = z.record(short, z.object({ name: short, isOptional: z.boolean(), isOwn: z.boolean() }));
const schema = z.custom<JsonSchema>((value) => isSmallObject(value));
const withTools = z.array(short).max(20);
const permission = z.custom<Permission>(
  (value) => typeof value === 'string' && /^[A-Z_]{1,50}#[A-Z_]{1,50}$/.test(value),
);

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

const mostSchema = 64 * 1024;
const isSmallObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && JSON.stringify(value).length <= mostSchema;

const tool = z.object({
  name: wireName,
  title: short,
  description: long,
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
  cuts: z.object({ of: z.array(z.array(short).max(5)).max(20), flags: z.array(short).max(20) }),
  inputSchema: schema,
  outputSchema: schema,
  needs,
});

const report = z.object({
  name: plainName,
  path: z
    .string()
    .max(200)
    .regex(/^\/api\/[a-z0-9/-]+$/),
  jsonKey: z.string().regex(/^[a-zA-Z]{1,50}$/),
  /** Of the query. */
  inputSchema: schema,
  needs,
});

/** Patterns are the router's; expressions in them are not accepted, nor is a path whose first part is a variable. */
const pagePath = z
  .string()
  .max(200)
  .regex(
    /^\/[a-z0-9][a-z0-9-]*(\/([a-z0-9][a-z0-9-]*|:[a-z][a-zA-Z0-9]*))*(\/\*\*)?$/,
    'must be kebab-case parts or :variables, with a fixed first part, such as /tickets/:id',
  );

const page = z.object({
  name: plainName,
  method: z.enum(['GET', 'POST', 'DELETE']),
  path: pagePath,
  access: z.union([z.literal('anyone'), z.object({ scope: z.enum(scopes), permission: permission.optional() })]),
  link: z.object({ title: z.string().max(60), order: z.number() }).optional(),
  needs,
});

/** Several variables that take any text would let a long URI be tried in too many ways. */
const resourceURI = short.refine(
  (uri) => uri.split('{').length <= 6 && uri.split('{+').length <= 2,
  'may have five variables, and one of them {+any}',
);

const resource = z.object({
  name: wireName,
  title: short,
  description: long,
  uri: resourceURI,
  mimeType: short.optional(),
  withTools,
  needs,
});

const prompt = z.object({ name: wireName, title: short, description: long, inputSchema: schema, withTools });

/** What a plugin says of itself before it is started. */
export const description = z.object({
  name: plainName.max(100),
  capabilities: z.array(z.enum(capabilities)).max(10),
  configSchema: schema,
  /** Why it can only run in the server's process; a sentence for each reason. */
  unfit: z.array(z.string().max(300)).max(20),
  /** What `start` needs. */
  needs,
  /** Whether its start or a part is told of a folder for its data. */
  usesDataFolder: z.boolean(),
  /** Names of the services that it provides, which only its own parts can have. */
  provides: z.array(short).max(100),
  permissions: z.array(permission).max(100),
  tools: z.array(tool).max(100),
  reports: z.array(report).max(100),
  pages: z.array(page).max(100),
  resources: z.array(resource).max(100),
  prompts: z.array(prompt).max(100),
});
export type Description = z.output<typeof description>;
export type DescribedNeeds = z.output<typeof needs>;

const definition = z.object({
  name: short,
  help: short,
  labels: z.array(short).max(10).optional(),
  buckets: z.array(z.number()).max(50).optional(),
});

/** What each kind of work is answered. */
export const answers = {
  tool: z.object({ structured: object, text: z.string(), files: texts }),
  columns: z.array(short).min(1).max(500),
  /** The rows were sent before. */
  report: z.undefined(),
  page: z.object({
    status: z.int().min(200).max(599),
    headers: z.array(z.tuple([short, z.string().max(8192)])).max(100),
    body: bytes,
  }),
  resource: z.object({
    content: z.union([z.object({ mimeType: short, text: z.string() }), z.object({ mimeType: short, bytes })]),
    files: texts,
  }),
  completion: z.array(z.string().max(4096)).max(1000),
  prompt: z.string().max(100_000),
} as const satisfies Record<Work['kind'], z.ZodType>;
export type AnswerOf<K extends Work['kind']> = z.output<(typeof answers)[K]>;

const status = z.object({
  isReady: z.boolean(),
  detail: object.refine(isSmallObject),
  failures: z
    .array(z.object({ name: short, reason: z.string().max(1000) }))
    .max(20)
    .optional(),
});

/** What the process of a plugin tells the server. Anything else ends it. */
export const fromPlugin = z.discriminatedUnion('type', [
  z.object({ type: z.literal('described'), plugin: description }),
  z.object({ type: z.literal('started') }),
  z.object({ type: z.literal('failed'), reason: z.string().max(4000) }),
  z.object({ type: z.literal('answer'), call: id, value: z.unknown() }),
  z.object({
    type: z.literal('rows'),
    call: id,
    rows: z.array(z.array(z.union([z.string(), z.number(), z.boolean()])).max(500)).max(100_000),
  }),
  z.object({
    type: z.literal('error'),
    call: id,
    /** Absent: nothing that a caller may see. */
    code: z.enum(errorCodes).optional(),
    message: z.string().max(8000),
    /** Where it arose, for the log. */
    stack: z.string().max(8000).optional(),
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
  z.object({ type: z.literal('repository'), call: id, name: z.string().max(1000) }),
  z.object({ type: z.literal('counted'), call: id, tool: short, files: texts }),
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
  /** The states of its services, by the names of their tokens. */
  z.object({ type: z.literal('pong'), states: z.record(short, status) }),
]);
export type FromPlugin = z.output<typeof fromPlugin>;
export type SentStatus = z.output<typeof status>;
