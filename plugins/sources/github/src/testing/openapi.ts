import { readFileSync } from 'node:fs';
import { z } from 'zod';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly example?: Json;
  readonly enum?: readonly Json[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
}

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly enum?: readonly string[] }[];
  readonly status: number;
  readonly answer: Schema;
}

interface Specification {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly definitions: Readonly<Record<string, Schema>>;
}

const specification: Specification = JSON.parse(readFileSync(new URL('golden/openapi.json', import.meta.url), 'utf8'));

const parsed = new Map<Operation, z.ZodType>();

/** An operation of GitHub's API. Throws where there is none, or it does not know a parameter. */
export function operationAt(method: string, path: string, query: URLSearchParams): Operation {
  const segments = path.split('/');
  const template = Object.keys(specification.paths).find((each) => {
    const parts = each.split('/');
    return parts.length === segments.length && parts.every((part, at) => part.startsWith('{') || part === segments[at]);
  });
  const operation = template === undefined ? undefined : specification.paths[template]?.[method.toLowerCase()];
  if (!operation) throw new Error(`GitHub has no ${method} ${path}`);
  for (const [name, value] of query) {
    const parameter = operation.parameters.find((each) => each.in === 'query' && each.name === name);
    if (!parameter) throw new Error(`${method} ${path} has no parameter ${name}`);
    if (parameter.enum && !parameter.enum.includes(value)) throw new Error(`${name} of ${path} is never ${value}`);
  }
  return operation;
}

/** What the schema has as examples, with these facts in it. Throws unless that is as the schema says. */
export function answerOf(operation: Operation, facts: unknown): unknown {
  const schema = parsed.get(operation) ?? schemaOf(operation.answer);
  parsed.set(operation, schema);
  const answer = withFacts(operation.answer, facts);
  const { error } = schema.safeParse(answer);
  if (error) throw new Error(`no answer of GitHub: ${z.prettifyError(error)}`);
  return answer;
}

const schemaOf = (schema: Schema): z.ZodType =>
  z.fromJSONSchema({ ...schema, definitions: specification.definitions } as never, { defaultTarget: 'openapi-3.0' });

function withFacts(schema: Schema, facts: unknown): unknown {
  const { items, properties, required } = whole(schema, facts);
  if (Array.isArray(facts)) return facts.map((each) => withFacts(items ?? {}, each));
  if (!isObject(facts)) return facts;
  const given = Object.entries(facts).map(([key, value]) => [key, withFacts(properties?.[key] ?? {}, value)]);
  const others = Object.entries(properties ?? {}).flatMap(([key, each]) =>
    key in facts || !required?.includes(key) ? [] : [[key, sample(each)]],
  );
  return Object.fromEntries([...others, ...given]);
}

function sample(given: Schema): unknown {
  const schema = whole(given, {});
  if (schema.example !== undefined) return schema.example;
  if (schema.nullable) return null;
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'object' || schema.properties) return withFacts(schema, {});
  if (schema.type === 'array') return [];
  if (schema.type === 'integer' || schema.type === 'number') return 1;
  if (schema.type === 'boolean') return false;
  return schema.format === 'uri' ? 'https://github.com' : schema.format === 'date-time' ? '2026-01-01T00:00:00Z' : 'x';
}

/** Without references and choices: of several the first that knows all facts. */
function whole(schema: Schema, facts: unknown): Schema {
  if (schema.$ref !== undefined)
    return whole(specification.definitions[schema.$ref.split('/').at(-1) ?? ''] ?? {}, facts);
  const choices = (schema.oneOf ?? schema.anyOf)?.map((each) => whole(each, facts));
  if (choices)
    return (
      choices.find(
        ({ properties }) => isObject(facts) && Object.keys(facts).every((key) => key in (properties ?? {})),
      ) ?? {}
    );
  if (!schema.allOf) return schema;
  const parts = schema.allOf.map((each) => whole(each, facts));
  return {
    ...schema,
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required }) => required ?? []),
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
