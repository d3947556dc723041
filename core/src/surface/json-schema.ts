import { z } from 'zod';

/** A JSON Schema 2020-12 document, as far as tools need it. */
export interface JsonSchema {
  type?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  [keyword: string]: unknown;
}

const plainTypes = new Set(['string', 'integer', 'number', 'boolean', 'array', 'object']);
/** A model does not count characters; who goes over a bound is told it. */
const verboseKeywords = new Set(['$schema', 'format', 'pattern', 'minLength', 'maxLength']);
const mark = 'isUnlisted';

/** An argument that is accepted and that clients do not see, such as the name that another tool has for the same thing. */
export const unlisted = <T extends z.ZodType>(schema: T): T => schema.meta({ [mark]: true });

/** A schema without the properties that are not listed. */
export function listedSchema({ properties, ...schema }: JsonSchema): JsonSchema {
  const listed = Object.entries(properties ?? {}).filter(([, property]) => property[mark] !== true);
  return { ...schema, ...(properties && { properties: Object.fromEntries(listed) }) };
}

/**
 * The JSON Schema of a tool's input or output as clients see it. It has no `$schema`, one plain type for each value, and
 * no bound that only restates the integer type. Throws if a value has no plain type, and names its path.
 */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return slim(z.toJSONSchema(schema, { io, target: 'draft-2020-12', reused: 'inline' }), '');
}

function slim(schema: object, path: string): JsonSchema {
  const kept: JsonSchema = Object.fromEntries(
    Object.entries(schema).filter(([key, value]) => !verboseKeywords.has(key) && !isSafeIntegerBound(value)),
  );
  requirePlainType(kept, path);
  if (kept.items) kept.items = slim(kept.items, `${path}[]`);
  if (typeof kept.additionalProperties === 'object' && Object.keys(kept.additionalProperties).length > 0)
    kept.additionalProperties = slim(kept.additionalProperties, `${path}.*`);
  if (kept.properties) {
    kept.properties = Object.fromEntries(
      Object.entries(kept.properties).map(([name, value]) => [
        name,
        slim(value, path === '' ? name : `${path}.${name}`),
      ]),
    );
  }
  return kept;
}

function requirePlainType(schema: JsonSchema, path: string): void {
  const isAny = path !== '' && Object.keys(schema).every((key) => key === 'description');
  if (isAny || (typeof schema.type === 'string' && plainTypes.has(schema.type))) return;
  throw new Error(
    `schema at "${path || 'the top'}" has no single plain type (string, integer, number, boolean, array or object)`,
  );
}

const isSafeIntegerBound = (value: unknown): boolean =>
  value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER;
