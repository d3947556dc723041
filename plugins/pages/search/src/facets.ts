import { escapeRegExp } from '@sextant/core';
import { filterPattern, languageOfFile } from '@sextant/contracts';
import type { Commit, SymbolFile } from '@sextant/contracts';
import { html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { addressOf } from './asked.ts';
import type { Asked } from './asked.ts';

/** What results can be narrowed by, and how many of them it leaves. */
export interface Facet {
  readonly title: string;
  /** A filter as it is added to the query. */
  readonly filter?: string;
  /** A kind of definition instead. */
  readonly kind?: string;
  readonly count: number;
}

export interface FacetGroup {
  readonly title: string;
  readonly facets: readonly Facet[];
}

const mostOfGroup = 6;
/** What files can be narrowed by. A group with one value narrows nothing and is left out. */
export function fileFacets(files: readonly { repo: string; path: string }[], query: string): FacetGroup[] {
  const repositories = counted(files.map(({ repo }) => repo));
  const groups = [
    group('Repositories', repositories, (repo) => `repo:^${filterPattern(repo)}$`),
    group('Languages', counted(files.flatMap(({ path }) => languageOfFile(path) ?? [])), languageFilter),
    // Folders of one repository: elsewhere the same name means another folder.
    ...(repositories.length === 1
      ? [
          group(
            'Folders',
            counted(foldersOf(files.map(({ path }) => path))),
            (folder) => `file:^${filterPattern(folder)}/`,
          ),
        ]
      : []),
    testGroup(files.map(({ path }) => path)),
  ];
  return narrowing(groups, query);
}

/** What definitions can be narrowed by: their kinds besides what files can. */
export function symbolFacets(files: readonly SymbolFile[], query: string): FacetGroup[] {
  const kinds = counted(files.flatMap(({ places }) => places.map(({ kind }) => kind)));
  const facets = kinds.slice(0, mostOfGroup).map(([kind, count]) => ({ title: kind, kind, count }));
  return [...(facets.length > 1 ? [{ title: 'Kinds', facets }] : []), ...fileFacets(files, query)];
}

/** What commits and changes can be narrowed by. */
export function commitFacets(commits: readonly Commit[], query: string): FacetGroup[] {
  const groups = [
    group('Repositories', counted(commits.map(({ repo }) => repo)), (repo) => `repo:^${filterPattern(repo)}$`),
    group(
      'Authors',
      counted(commits.map(({ author }) => author.name)),
      (name) => `author:"${escapeRegExp(name).replaceAll('"', String.raw`\"`)}"`,
    ),
    group(
      'Years',
      counted(commits.map(({ date }) => date.slice(0, 4))),
      (year) => `after:${year}-01-01 before:${Number(year) + 1}-01-01`,
    ),
  ];
  return narrowing(groups, query);
}

const narrowing = (groups: readonly FacetGroup[], query: string): FacetGroup[] =>
  groups
    .map(({ title, facets }) => ({
      title,
      facets: facets.filter(({ filter = '' }) => !query.includes(filter)).slice(0, mostOfGroup),
    }))
    .filter(({ facets }) => facets.length > 1);

const group = (
  title: string,
  counts: readonly (readonly [string, number])[],
  filterOf: (value: string) => string,
): FacetGroup => ({
  title,
  facets: counts.map(([value, count]) => ({ title: value, filter: filterOf(value), count })),
});

const languageFilter = (name: string): string =>
  /\s/.test(name) ? `lang:"${name.toLowerCase()}"` : `lang:${name.toLowerCase()}`;

/** Tests, and everything without them. Nothing where all files, or none, are tests. */
function testGroup(paths: readonly string[]): FacetGroup {
  const count = paths.filter((path) => /test/i.test(path)).length;
  const facets = [
    { title: 'Tests', filter: 'file:test', count },
    { title: 'Without tests', filter: '-file:test', count: paths.length - count },
  ];
  return { title: 'Tests', facets: count === 0 || count === paths.length ? [] : facets };
}

/** The first folder of each path in which not all of them are. */
function foldersOf(paths: readonly string[]): string[] {
  const split = paths.map((path) => path.split('/').slice(0, -1));
  const [first = []] = split;
  let shared = 0;
  while (shared < first.length && split.every((folders) => folders[shared] === first[shared])) shared += 1;
  return split.flatMap((folders) => (folders.length > shared ? folders.slice(0, shared + 1).join('/') : []));
}

/** Each value once with its number, what there is most of first. */
function counted(values: readonly string[]): (readonly [string, number])[] {
  return [...Map.groupBy(values, (value) => value)]
    .map(([value, { length }]) => [value, length] as const)
    .toSorted(([a, most], [b, more]) => more - most || (a < b ? -1 : 1));
}

/** Names of repositories without what they all begin with, such as a host. */
function shortened(names: readonly string[]): readonly string[] {
  const [first = ''] = names;
  const folders = first.split('/').slice(0, -1);
  while (folders.length > 0 && !names.every((name) => name.startsWith(`${folders.join('/')}/`))) folders.pop();
  const start = folders.join('/').length + (folders.length > 0 ? 1 : 0);
  return names.map((name) => name.slice(start));
}

const narrowed = (asked: Asked, { filter, kind }: Facet): string =>
  addressOf(asked, filter === undefined ? { kind } : { query: `${asked.query} ${filter}` });

/** Filters beside the results. */
export const facetList = (asked: Asked, groups: readonly FacetGroup[], isPartial: boolean): Content =>
  groups.length > 0 &&
  html`<details class="facets" open>
    <summary>Narrow</summary>
    ${groups.map(({ title, facets }) => {
      const names = shortened(facets.map((facet) => facet.title));
      return html`<section aria-label=${title}>
          <h2>${title}</h2>
          <ul>
            ${facets.map((facet, index) => html`<li><a href=${narrowed(asked, facet)} title=${facet.filter}><span>${names[index]}</span><small>${facet.count.toLocaleString('en')}${isPartial && '+'}</small></a></li>`)}
          </ul>
        </section>`;
    })}
  </details>`;
