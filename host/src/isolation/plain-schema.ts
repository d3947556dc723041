import type { JsonSchema } from '@sextant/core';
import { z } from 'zod';

/** A schema that another process declared, for checks in this one: without what could take long, such as patterns. */
export const plainSchema = (schema: JsonSchema): z.ZodType =>
  z.fromJSONSchema(plain(schema) as Parameters<typeof z.fromJSONSchema>[0]);

function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(
    ([key, value]) =>
      !(['pattern', 'format', '$ref', '$defs', '$schema'].includes(key) && typeof value !== 'object') &&
      key !== 'patternProperties',
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, plain(value)]));
}
