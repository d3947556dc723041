import { nearest, cut } from '@sextant/core';
import type { JsonSchema } from '@sextant/core';
import { z } from 'zod';
import { allowed, keysOf, schemaAt } from './allowed.ts';
import type { Problem } from './problems.ts';
import { isPlainObject } from './secrets.ts';

/** A part of the configuration that one schema describes. */
export interface Section<T> {
  schema: z.ZodType<T>;
  /** With references replaced. */
  value: unknown;
  /** As it stands in the file: what messages may quote. */
  raw: unknown;
  /** Where a key of the section stands in the file. */
  pathOf(path: readonly PropertyKey[]): readonly PropertyKey[];
}

export type Validated<T> = { ok: true; data: T } | { ok: false; problems: readonly Problem[] };

/** Parses a section, or says everything that is wrong with it. */
export function validateSection<T>({ schema, value, raw, pathOf }: Section<T>): Validated<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, data: parsed.data };
  const json = configSchema(schema);
  const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue, json, raw));
  return { ok: false, problems: problems.map(({ path, text }) => ({ path: pathOf(path), text })) };
}

/** The JSON Schema of what may be written in the file. */
export function configSchema(schema: z.ZodType): JsonSchema {
  const json = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    reused: 'inline',
    unrepresentable: 'any',
  });
  return Object.fromEntries(Object.entries(json).filter(([key]) => key !== '$schema'));
}

function problemsOf(issue: z.core.$ZodIssue, json: JsonSchema, raw: unknown): Problem[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const known = keysOf(schemaAt(json, path));
    return issue.keys.map((key) => ({ path: [...path, key], text: unknownKey(key, known) }));
  }
  if (issue.code === 'invalid_key')
    return [{ path, text: `this key ${issue.issues.map(({ message }) => message).join(', ')}` }];
  return [{ path, text: describe(issue, schemaAt(json, path), valueAt(raw, path)) }];
}

/** What to do about a key that nobody reads. */
export function unknownKey(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  if (meant !== undefined) return `unknown key; did you mean "${meant}"?`;
  return known.length === 0 ? 'unknown key; none is allowed here' : `unknown key; allowed are ${known.join(', ')}`;
}

function describe(issue: z.core.$ZodIssue, schema: JsonSchema | undefined, found: unknown): string {
  const isOwnMessage = !/^(Invalid|Too|Unrecognized)/.test(issue.message);
  const wanted = schema ? `expected ${allowed(schema)}` : issue.message;
  if (found === undefined) return isOwnMessage ? issue.message : `missing; ${wanted}`;
  if (isOwnMessage) return isPlainObject(found) ? issue.message : `${issue.message}, found ${quote(found)}`;
  return `${wanted}, found ${quote(found)}`;
}

export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}

/** A value as the file has it, shortened. */
export function quote(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (isPlainObject(value)) return 'a mapping of keys to values';
  const text = JSON.stringify(value) ?? String(value);
  return cut(text, 80);
}
