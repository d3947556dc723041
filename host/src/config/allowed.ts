import type { JsonSchema } from '@sextant/core';
import { isPlainObject } from './secrets.ts';

/** The part of a JSON Schema that describes the value under a path; undefined where anything goes. */
export function schemaAt(schema: JsonSchema, path: readonly PropertyKey[]): JsonSchema | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return schema;
  for (const branch of branchesOf(schema)) {
    const child =
      typeof key === 'number' ? branch.items : (branch.properties?.[String(key)] ?? branch.additionalProperties);
    const found = isPlainObject(child) && schemaAt(child, rest);
    if (found) return found;
  }
  return undefined;
}

/** The keys that a mapping may have. */
export const keysOf = (schema: JsonSchema | undefined): string[] =>
  schema ? branchesOf(schema).flatMap(({ properties }) => Object.keys(properties ?? {})) : [];

/** What a schema allows, in words: `a number between 0.1 and 3600`. */
export function allowed(schema: JsonSchema): string {
  const branches = branchesOf(schema);
  return [...new Set(branches.map(allowedByOne))].join(' or ');
}

function branchesOf(schema: JsonSchema): JsonSchema[] {
  const { anyOf, oneOf } = schema;
  const branches = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  return branches ? branches.filter(isPlainObject).flatMap(branchesOf) : [schema];
}

const nouns: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping of keys to values',
  null: 'nothing',
};

const formats: Readonly<Record<string, string>> = {
  uri: 'a URL such as https://code.example.com',
  email: 'an e-mail address',
  date: 'a date such as 2026-01-31',
};

function allowedByOne(schema: JsonSchema): string {
  const { type = '', format } = schema;
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return `one of ${schema['enum'].map((value) => JSON.stringify(value)).join(', ')}`;
  if (type === 'string')
    return (typeof format === 'string' && formats[format]) || `a string${lengths(schema, 'Length', 'characters')}`;
  if (type === 'integer' || type === 'number')
    return nouns[type] + bounds(limit(schema['minimum']), limit(schema['maximum']));
  if (type === 'array') return `a list${lengths(schema, 'Items', 'items')}`;
  return nouns[type] ?? 'another value';
}

function lengths(schema: JsonSchema, what: 'Length' | 'Items', unit: string): string {
  const text = bounds(limit(schema[`min${what}`]), limit(schema[`max${what}`]));
  if (text === '') return '';
  return text.startsWith(' between')
    ? ` of${text.slice(' between'.length).replace(' and ', ' to ')} ${unit}`
    : `${text} ${unit}`;
}

function bounds(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) return ` between ${least} and ${most}`;
  if (least !== undefined) return ` of at least ${least}`;
  return most === undefined ? '' : ` of at most ${most}`;
}

/** Bounds that only restate what an integer is are none. */
const limit = (value: unknown): number | undefined =>
  typeof value === 'number' && Math.abs(value) !== Number.MAX_SAFE_INTEGER ? value : undefined;
