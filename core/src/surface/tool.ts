import { z } from 'zod';
import { parseArguments } from '../calls/arguments.ts';
import type { Call } from '../calls/call.ts';
import { nearest } from '../text/nearest.ts';
import { listedSchema, toJsonSchema } from './json-schema.ts';
import type { JsonSchema } from './json-schema.ts';
import { requireWireName } from './resource.ts';
import { fn, needsShape, plainObject, shapeOf, text, texts, truth, wireName, zodObject } from '../plugins/shape.ts';
import type { Needs, Resolved } from '../plugins/token.ts';

/**
 * Where a tool is listed besides `/.api/mcp/all` and `/.api/mcp/v1`, which list every tool. Either the name of a
 * built-in endpoint, or one that lists it only while another tool is disabled or not loaded.
 */
export type Placement = EndpointName | { endpoint: EndpointName; unless: string };
const endpointNames = ['default', 'deepsearch'] as const;
export type EndpointName = (typeof endpointNames)[number];

/** What a tool is used for: the reports count calls by it. */
export const activities = ['search', 'navigation', 'history', 'reading', 'research', 'script', 'other'] as const;
export type Activity = (typeof activities)[number];

/** Steps of an agent's work, in their order. */
export const steps = ['begin', 'find', 'follow', 'history', 'exhaust', 'other'] as const;
/** A sentence for each step in which a tool is of use. */
export type Guidance = Readonly<Partial<Record<(typeof steps)[number], string>>>;

export interface ToolDefinition<I extends z.ZodObject, O extends z.ZodObject, N extends Needs> {
  /** Wire name, in snake_case. */
  name: string;
  title: string;
  /** One or two sentences that tell a model when to choose this tool. */
  description: string;
  endpoints: readonly Placement[];
  needs: N;
  input: I;
  output: O;
  /** When to choose it among others, by the step of the work: part of the server's instructions where the tool is listed. */
  guidance?: Guidance;
  /** What reports count its calls as; `other` unless said: then only among all calls. */
  activity?: Activity;
  /** Whether it changes nothing; true unless said. */
  isReadOnly?: boolean;
  run(input: z.output<I>, services: Resolved<N>, call: Call): Promise<z.input<O>>;
  /** What a model reads: few tokens, no JSON. */
  toText(output: z.output<O>): string;
  /** How a caller gets what did not fit, such as the arguments to use: ends the last line of a text that was cut. */
  rest?: string;
  /**
   * What is cut of a structured answer that is too long for a client. Flags become true then. Where the output has
   * `notes`, a list of texts, they say how to get the rest.
   */
  cuts?: {
    of: readonly (readonly [keyof z.output<O> & string, ...inside: string[]])[];
    flags?: readonly (keyof z.output<O> & string)[];
  };
  /** Paths of the files that the answer is about; the call is recorded with their language. */
  filesOf?(output: z.output<O>): readonly string[];
}

/** What is cut of a structured answer that is too long. */
export interface Cuts {
  /** Properties, the first to be cut first. Behind a list the list in an item of it that is kept in part. */
  readonly of: readonly (readonly string[])[];
  /** Properties that are true where something is missing. */
  readonly flags: readonly string[];
}

/** A tool with its types erased: what the registry and the host handle. Made by `defineTool`. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly endpoints: readonly Placement[];
  readonly needs: Needs;
  readonly guidance: Guidance;
  readonly activity: Activity;
  readonly isReadOnly: boolean;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  /** Throws `invalid_argument` that names each wrong argument. */
  parseInput(given: unknown): unknown;
  /** Throws when the tool broke its own schema. */
  parseOutput(output: unknown): Record<string, unknown>;
  run(input: unknown, services: Resolved<Needs>, call: Call): Promise<unknown>;
  toText(output: unknown): string;
  readonly rest: string;
  readonly cuts: Cuts;
  filesOf(output: unknown): readonly string[];
}

const endpoint = z.enum(endpointNames, `must be ${endpointNames.join(' or ')}`);

export const toolShape = shapeOf<Tool>('defineTool', {
  name: wireName,
  title: text,
  description: text,
  endpoints: z.array(
    z.union([endpoint, z.looseObject({ endpoint, unless: text })], 'must be an endpoint'),
    'must be a list',
  ),
  needs: needsShape,
  guidance: plainObject,
  activity: z.enum(activities, `must be one of ${activities.join(', ')}`),
  isReadOnly: truth,
  inputSchema: plainObject,
  outputSchema: plainObject,
  parseInput: fn,
  parseOutput: fn,
  run: fn,
  toText: fn,
  rest: text,
  cuts: z.looseObject({ of: z.array(texts), flags: texts }, 'must say what is cut'),
  filesOf: fn,
});

/**
 * Declares a tool. Throws if the declaration breaks a rule that clients depend on: the name must be snake_case, each
 * property needs a description, and each type must be plain.
 */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject, N extends Needs>(
  definition: ToolDefinition<I, O, N>,
): Tool {
  requireSchemas(definition);
  const input = definition.input.strict();
  const accepted = toJsonSchema(input, 'input');
  const inputSchema = listedSchema(accepted);
  requireWellFormed(definition.name, inputSchema);
  for (const placement of definition.endpoints) requireEndpoint(definition.name, placement);
  requireActivity(definition);
  requireFunctions(definition);
  // The one place where a tool's types are erased: what `parseInput` returns is what `run` was declared for.
  const erased = definition as unknown as Pick<Tool, 'run' | 'toText'> & Partial<Pick<Tool, 'filesOf'>>;
  return {
    name: definition.name,
    title: definition.title,
    description: definition.description,
    endpoints: definition.endpoints,
    needs: definition.needs,
    guidance: definition.guidance ?? {},
    activity: definition.activity ?? 'other',
    isReadOnly: definition.isReadOnly ?? true,
    inputSchema,
    outputSchema: toJsonSchema(definition.output, 'output'),
    parseInput: (given) => parseArguments(input, accepted, given),
    parseOutput: (output) => definition.output.parse(output),
    run: (given, services, call) => erased.run(given, services, call),
    toText: (output) => erased.toText(output),
    rest: definition.rest ?? 'ask for less at once',
    cuts: { of: definition.cuts?.of ?? [], flags: definition.cuts?.flags ?? [] },
    filesOf: (output) => erased.filesOf?.(output) ?? [],
  };
}

function requireEndpoint(tool: string, placement: Placement): void {
  const endpoint = typeof placement === 'string' ? placement : placement.endpoint;
  if (endpointNames.includes(endpoint)) return;
  throw new Error(
    `tool ${tool}: there is no endpoint "${endpoint}" to be listed on; allowed are ${endpointNames.join(' and ')}. Every tool is on /.api/mcp/all`,
  );
}

/** Without types a schema may be missing, or be plain JSON. */
function requireSchemas(definition: { name: string; input?: unknown; output?: unknown }): void {
  for (const key of ['input', 'output'] as const)
    if (!zodObject.safeParse(definition[key]).success)
      throw new Error(`tool ${definition.name} needs ${key}, a schema such as z.object({ … }) of zod 4`);
}

/** A misspelt `toText` would show only when the tool is called. */
function requireFunctions(definition: { name: string; run?: unknown; toText?: unknown }): void {
  for (const key of ['run', 'toText'] as const)
    if (typeof definition[key] !== 'function') {
      const meant = nearest(key, Object.keys(definition));
      throw new Error(
        `tool ${definition.name} needs a function ${key}${meant === undefined ? '' : `; it has "${meant}"`}`,
      );
    }
}

function requireActivity({ name, activity = 'other' }: { name: string; activity?: string }): void {
  if (!activities.some((known) => known === activity))
    throw new Error(`tool ${name}: there is no activity "${activity}"; allowed are ${activities.join(', ')}`);
}

function requireWellFormed(name: string, inputSchema: JsonSchema): void {
  requireWireName('tool', name);
  for (const [property, schema] of Object.entries(inputSchema.properties ?? {}))
    if (!schema.description) throw new Error(`tool ${name}: the property "${property}" has no description`);
}
