import type { z } from 'zod';
import { SextantError } from './errors.ts';
import { listedSchema } from '../surface/json-schema.ts';
import type { JsonSchema } from '../surface/json-schema.ts';
import { cut } from '../text/cut.ts';
import { didYouMean } from '../text/nearest.ts';

/** Who has more wrong sees the next ones afterwards. */
const mostProblems = 10;
/** UTF-16 units of a name or value, and of a reason, as a problem shows them. */
const [mostOfName, mostOfReason] = [60, 300];

/**
 * Parses the arguments of a tool; throws `invalid_argument` that names each wrong one and the valid ones. Mistakes that can
 * mean only one thing are forgiven: see `forgiven`.
 */
export function parseArguments<T>(schema: z.ZodType<T>, json: JsonSchema, given: unknown): T {
  const exactly = schema.safeParse(given ?? {}, { reportInput: true });
  if (exactly.success) return exactly.data;
  const parsed = schema.safeParse(forgiven(given, json), { reportInput: true });
  if (parsed.success) return parsed.data;
  const listed = listedSchema(json);
  const problems = parsed.error.issues.slice(0, mostProblems).flatMap((issue) => describe(issue, listed));
  throw new SextantError('invalid_argument', `${problems.join(' ')} ${validArguments(listed)}`);
}

/**
 * Arguments as they were meant. For an optional one that is absent, null or an empty text is accepted. So is `"10"` for
 * 10, `"true"` for true, one value (or a JSON text of several) for a list, and `start_line` or `author` for `startLine`
 * or `authors`.
 */
function forgiven(given: unknown, { properties = {}, required = [] }: JsonSchema): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given ?? {};
  const names = Object.keys(properties);
  const entries = Object.entries(given).flatMap(([written, value]): [string, unknown][] => {
    const name = meantName(written, names, given);
    const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined;
    const isAbsent = (value === null || value === '') && !required.includes(name);
    return type !== undefined && isAbsent ? [] : [[name, asMeant(value, type)]];
  });
  return Object.fromEntries(entries);
}

/** The argument that a name must mean; a name that means none, or one that is given besides, stays as it is. */
function meantName(written: string, names: readonly string[], given: object): string {
  if (names.includes(written)) return written;
  const [meant, other] = names.filter((name) => plain(name) === plain(written));
  return meant === undefined || other !== undefined || Object.hasOwn(given, meant) ? written : meant;
}

/** Without case, the signs between words, and the end of a plural. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '').replace(/s$/, '');

function asMeant(value: unknown, type: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'integer' || type === 'number') return /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value;
  if (type === 'boolean') return value === 'true' || (value === 'false' ? false : value);
  return type === 'array' ? listIn(value) : value;
}

function listIn(text: string): unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) return list;
  } catch {
    // One value then, as nearly always.
  }
  return [text];
}

function describe(issue: z.core.$ZodIssue, json: JsonSchema): string[] {
  const names = Object.keys(json.properties ?? {});
  if (issue.code === 'unrecognized_keys')
    return issue.keys
      .slice(0, mostProblems)
      .map((key) => `Unknown argument "${cut(key, mostOfName)}".${didYouMean(key, names)}`);
  if (issue.path.length === 0) return [`The arguments must be an object, not ${typeName(issue.input)}.`];
  const name = issue.path.map(String).join('.');
  if (issue.input === undefined && issue.code === 'invalid_type') return [`Missing argument "${name}".`];
  return [`Argument "${name}": ${explain(issue)}.`];
}

function explain(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.expected === 'int') return `must be a whole number, got ${String(issue.input)}`;
      return `expected ${article(issue.expected)}, got ${typeName(issue.input)}`;
    case 'too_small':
      return `must be ${bound(issue.origin, 'at least', issue.minimum)}, got ${size(issue)}`;
    case 'too_big':
      return `must be ${bound(issue.origin, 'at most', issue.maximum)}, got ${size(issue)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    default:
      return cut(issue.message, mostOfReason);
  }
}

function validArguments(json: JsonSchema): string {
  const required = new Set(json.required);
  const names = Object.keys(json.properties ?? {});
  if (names.length === 0) return 'This tool takes no arguments.';
  return `Valid arguments: ${names.map((name) => (required.has(name) ? `${name} (required)` : name)).join(', ')}.`;
}

function bound(origin: string, direction: string, limit: number | bigint): string {
  const many = Number(limit) === 1 ? '' : 's';
  if (origin === 'string') return `${direction} ${limit} character${many}`;
  if (origin === 'array') return `${direction} ${limit} value${many}`;
  return `${direction} ${limit}`;
}

function size({ input }: z.core.$ZodIssue): string {
  if (typeof input === 'string' || Array.isArray(input)) return String(input.length);
  return String(input);
}

const article = (type: string): string => `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  return article(typeof value);
}
