import { SextantError, didYouMean } from '@sextant/core';
import type { Report } from '@sextant/core';
import type { z } from 'zod';

export type ReportFormat = 'csv' | 'json';

/** The query of a report, and the form that its rows are wanted in. Throws `invalid_argument` that names the parameter. */
export function parseReportQuery(
  report: Report,
  parameters: URLSearchParams,
  accept: string | null,
): { query: unknown; format: ReportFormat } {
  const given = Object.fromEntries(parameters);
  for (const name of Object.keys(given))
    if (parameters.getAll(name).length > 1)
      throw new SextantError('invalid_argument', `Parameter "${name}" is given more than once; give it once.`);
  const { format, ...rest } = given;
  const parsed = report.query.safeParse(rest);
  if (parsed.success) return { query: parsed.data, format: formatOf(format, accept) };
  const names = [...Object.keys(report.query.shape), 'format'];
  const problems = parsed.error.issues.flatMap((issue) => describe(issue, rest, names));
  throw new SextantError('invalid_argument', `${problems.join(' ')} Allowed parameters: ${names.join(', ')}.`);
}

function formatOf(format: string | undefined, accept: string | null): ReportFormat {
  if (format === 'csv' || format === 'json') return format;
  if (format !== undefined)
    throw new SextantError('invalid_argument', 'Parameter "format": must be one of "csv", "json".');
  return /\bapplication\/json\b/i.test(accept ?? '') && !/\btext\/csv\b/i.test(accept ?? '') ? 'json' : 'csv';
}

function describe(issue: z.core.$ZodIssue, given: object, names: readonly string[]): string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `Unknown parameter "${key.slice(0, 60)}".${didYouMean(key, names)}`);
  const name = issue.path.map(String).join('.');
  if (!(name in given)) return [`Missing parameter "${name}".`];
  const allowed =
    issue.code === 'invalid_value' && `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
  return [`Parameter "${name}": ${allowed || issue.message}.`];
}
