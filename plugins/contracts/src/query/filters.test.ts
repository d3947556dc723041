import { expect, test } from 'vitest';
import { filterNamed, filters, filtersInTools, leavesOfRole } from './filters.ts';
import type { FilterName } from './filters.ts';
import { leavesOf } from './algebra.ts';
import { parseQuery } from './parse.ts';
import { printQuery } from './print.ts';
import { subjectOf } from './query.ts';

/** A value for each filter; a filter that is added has to have one. */
const values: Readonly<Record<FilterName, string>> = {
  repo: 'shop',
  file: 'cart',
  rev: 'main',
  lang: 'go',
  case: 'yes',
  count: '7',
  type: 'path',
  select: 'repo',
  patterntype: 'regexp',
  fork: 'no',
  archived: 'only',
  visibility: 'private',
  stars: '>=10',
  pushed: '<2026-01-31',
  author: 'ada',
  message: 'fix',
  line: 'x',
  after: '2026-01-01',
  before: '2026-01-01',
  diff: 'added',
};
const all = Object.entries(filters) as [FilterName, (typeof filters)[FilterName]][];
const historyOnly = all.filter(([, { role }]) => role === 'commit').map(([name]) => name);

test.each(all)('%s: is read under each of its names, becomes its leaf, and is printed', (name, filter) => {
  for (const alias of filter.aliases) {
    const text = `${historyOnly.includes(name) ? 'type:diff ' : ''}${alias}:${values[name]} word`;
    const parsed = parseQuery(text);
    const kinds = leavesOf(parsed.query).map(({ leaf }) => leaf.kind);
    if (filter.role === 'option') expect(printQuery(parsed)).not.toContain(`"${alias}:`);
    else expect(kinds).toContain(filter.leaves[0]);
    expect(parseQuery(printQuery(parsed))).toMatchObject({ query: parsed.query, options: parsed.options });
    expect(filter.subjects).toContain(subjectOf(parsed));
  }
});

test('a name belongs to one filter, its own name first', () => {
  const aliases = all.flatMap(([, filter]) => [...filter.aliases]);
  expect(new Set(aliases).size).toBe(aliases.length);
  for (const [name, filter] of all) expect(filter.aliases[0]).toBe(name);
});

test('filters of commits are text where files are asked for', () => {
  for (const name of historyOnly)
    expect([filterNamed(name, true), filterNamed(name, false)]).toEqual([name, undefined]);
});

test('each leaf belongs to one role', () => {
  const leaves = (['place', 'file', 'commit', 'option'] as const).flatMap(leavesOfRole);
  expect(new Set(leaves).size).toBe(leaves.length);
});

test('search tools list the filters in one line', () => {
  expect(filtersInTools()).toBe(
    'repo: file: (regex, - negates) rev: lang: case:yes count:N|all type:path|repo|symbol|commit|diff select:repo|file; of commits author: message: after: before:',
  );
});
