import type { z } from 'zod';
import type { Call } from '../calls/call.ts';
import { fn, needsShape, shapeOf, text, zodObject } from '../plugins/shape.ts';
import type { Needs, Resolved } from '../plugins/token.ts';

/** One row: a cell for each of the report's columns, in their order. */
export type ReportRow = readonly (string | number | boolean)[];

export interface ReportDefinition<Q extends z.ZodObject, N extends Needs> {
  name: string;
  /** Absolute path, below `/api/`. */
  path: string;
  /** Query parameters; every one arrives as a string. */
  query: Q;
  needs: N;
  /** The headings in order, also of an empty report. */
  columns(query: z.output<Q>): readonly string[];
  /** Rows as they are found, some at a time; a report of any length is never held in memory. */
  rows(query: z.output<Q>, services: Resolved<N>, call: Call): AsyncIterable<readonly ReportRow[]>;
  /** The key that holds the rows in the JSON form; `rows` unless said. */
  jsonKey?: string;
}

/** A report with its types erased. Made by `defineReport`. */
export interface Report {
  readonly name: string;
  readonly path: string;
  readonly query: z.ZodObject;
  readonly needs: Needs;
  readonly jsonKey: string;
  columns(query: unknown): readonly string[] | Promise<readonly string[]>;
  rows(query: unknown, services: Resolved<Needs>, call: Call): AsyncIterable<readonly ReportRow[]>;
}

const path = text.regex(/^\/api\/[a-z0-9/-]+$/, 'must be below /api/, in kebab-case');

export const reportShape = shapeOf<Report>('defineReport', {
  name: text,
  path,
  query: zodObject,
  needs: needsShape,
  jsonKey: text,
  columns: fn,
  rows: fn,
});

/** Declares a report: a table that is served as CSV or JSON. Throws on a path that is not below `/api/`. */
export function defineReport<Q extends z.ZodObject, N extends Needs>(definition: ReportDefinition<Q, N>): Report {
  if (!path.safeParse(definition.path).success)
    throw new Error(`report ${definition.name}: the path "${definition.path}" must be below /api/, in kebab-case`);
  // The one place where a report's types are erased.
  return { jsonKey: 'rows', ...definition, query: definition.query.strict() } as unknown as Report;
}
