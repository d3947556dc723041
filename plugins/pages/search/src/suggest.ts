import {
  filterPattern,
  filters,
  History,
  languageNames,
  Links,
  literal,
  parseQuery,
  queryOf,
  Repositories,
  Search,
  Symbols,
} from '@sextant/contracts';
import type { Query, RepositoryInfo, SearchResult } from '@sextant/contracts';
import { definePage, escapeRegExp, joinSignals, optional, timeoutSignal } from '@sextant/core';
import type { Call } from '@sextant/core';
import { filtersIn } from './filters.ts';

/** A line below the box: one that completes the last word, or one that opens a page. */
interface Suggestion {
  readonly kind: 'filter' | 'value' | 'repository' | 'symbol' | 'file';
  readonly title: string;
  readonly detail?: string;
  /** What takes the place of the word. */
  readonly insert?: string;
  readonly href?: string;
}

interface Services {
  readonly repositories: Repositories;
  readonly links: Links;
  readonly search: Search;
  readonly symbols: Symbols | undefined;
  readonly history: History | undefined;
}

/** The last word of a text, and what stands before it. */
interface Typed {
  readonly word: string;
  readonly before: string;
}

const mostValues = 8;
const mostOfKind = 4;
const longestQuery = 1000;
/** Commits whose authors are suggested, and branches and tags that are looked through. */
const mostCommits = 1000;
const mostRefs = 5000;
/** Milliseconds after which files that are not known yet are left out, and where nothing else is waited for. */
const waitMs = 200;
const waitAloneMs = 1000;

/**
 * What the last word of a text may become: `?q=` is the text up to the cursor. Names take longer than the rest, so
 * they are asked for apart: `?of=symbols`. Read by a script.
 */
export const suggestPage = definePage({
  name: 'search-suggest',
  method: 'GET',
  path: '/search/suggest',
  access: { scope: 'all' },
  needs: {
    repositories: Repositories,
    links: Links,
    search: Search,
    symbols: optional(Symbols),
    history: optional(History),
  },
  async respond(request, services, call) {
    const { searchParams } = new URL(request.url);
    const text = (searchParams.get('q') ?? '').slice(-longestQuery);
    const [word = ''] = /\S*$/.exec(text) ?? [];
    const suggest = searchParams.get('of') === 'symbols' ? symbolsFor : suggestionsFor;
    const suggestions = await suggest({ word, before: text.slice(0, text.length - word.length) }, services, call);
    return Response.json({ word, suggestions }, { headers: { 'cache-control': 'no-store' } });
  },
});

async function suggestionsFor(typed: Typed, services: Services, call: Call): Promise<Suggestion[]> {
  const { word } = typed;
  const [, start = '', name, value = ''] = /^(-?([a-z]+):)(.*)$/i.exec(word) ?? [];
  if (name !== undefined) {
    const values = await valuesOf(name.toLowerCase(), value, { typed, services, call });
    return values.slice(0, mostValues).map((one) => ({ kind: 'value', title: one, insert: `${start}${one} ` }));
  }
  if (!mayBeName(word)) return [];
  const found = await Promise.all([
    repositoriesWith(word, services, call),
    filesLike(typed, services, { ...call, signal: within(waitMs, call) }).catch(() => []),
  ]);
  return [...filtersLike(word), ...found.flat()];
}

const symbolsFor = async (typed: Typed, services: Services, call: Call): Promise<Suggestion[]> =>
  mayBeName(typed.word)
    ? symbolsLike(typed, services, { ...call, signal: within(waitAloneMs, call) }).catch(() => [])
    : [];

const mayBeName = (word: string): boolean => word.length >= 2 && !/["/():\\]/.test(word);

const within = (milliseconds: number, { signal }: Call): AbortSignal =>
  joinSignals(signal, timeoutSignal(milliseconds));

const filtersLike = (word: string): Suggestion[] =>
  Object.values(filters).flatMap(({ aliases: [name = ''], help, values }) =>
    name.startsWith(word.toLowerCase())
      ? [{ kind: 'filter', title: `${name}:`, insert: `${name}:`, detail: values ?? help }]
      : [],
  );

interface Context {
  readonly typed: Typed;
  readonly services: Services;
  readonly call: Call;
}

async function valuesOf(name: string, value: string, { typed, services, call }: Context): Promise<string[]> {
  const filter = Object.entries(filters).find(([, { aliases }]) => aliases.some((alias) => alias === name))?.[0];
  const part = value.toLowerCase().replace(/^\^/, '');
  if (filter === 'repo') {
    const all = await services.repositories.list(call.caller);
    return all.filter((info) => info.name.toLowerCase().includes(part)).map((info) => `^${filterPattern(info.name)}$`);
  }
  if (filter === 'file')
    return mayBeName(part.replaceAll('/', '')) ? pathsLike({ ...typed, word: part }, services, call) : [];
  if (filter === 'author') return authorsLike(part, { typed, services, call });
  if (filter === 'rev') return revisionsLike(part, { typed, services, call }).catch(() => []);
  if (filter === 'lang') return languageNames.filter((one) => one.startsWith(part) && !/\s/.test(one));
  const values = Object.entries(filters).find(([key]) => key === filter)?.[1].values ?? '';
  return values.split('|').filter((one) => one !== '' && one !== 'N' && one.startsWith(part));
}

/** Authors of the newest commits of the repositories that the query names, those with most of them first. */
async function authorsLike(part: string, { typed, services, call }: Context): Promise<string[]> {
  const { history, repositories } = services;
  if (!history) return [];
  const named = await repositoriesIn(typed.before, repositories, call);
  const none = { revisions: [], messages: [], authors: part === '' ? [] : [part], contents: [], paths: [] };
  const request = { ...none, repositories: named, count: mostCommits, isRegex: false };
  const { results } = await history
    .commits(call.caller, request, within(waitAloneMs, call))
    .catch(() => ({ results: [] }));
  const names = [...Map.groupBy(results, ({ author }) => author.name)].toSorted((a, b) => b[1].length - a[1].length);
  return names.map(([name]) => (/^[\w.-]+$/.test(name) ? name : `"${escapeRegExp(name).replaceAll('"', '.')}"`));
}

/** Branches and tags of the first repository that the query names: of several, no list would be short. */
async function revisionsLike(part: string, { typed, services, call }: Context): Promise<string[]> {
  const { repositories } = services;
  const [first, ...others] = await repositoriesIn(typed.before, repositories, call);
  if (first === undefined || others.length > 0) return [];
  const repository = await repositories.open(call.caller, first);
  const { refs } = await repository.listRefs({ types: ['branch', 'tag'], limit: mostRefs }, within(waitAloneMs, call));
  const place = (name: string): number => name.toLowerCase().indexOf(part);
  return refs
    .map(({ name }) => name)
    .filter((name) => place(name) >= 0 && !/[\s:"()]/.test(name))
    .toSorted((a, b) => Number(place(a) > 0) - Number(place(b) > 0));
}

/** The repositories that the filters of a query leave; those of a query without such filters are all. */
async function repositoriesIn(before: string, repositories: Repositories, { caller }: Call): Promise<string[]> {
  const visible = await repositories.list(caller);
  const patterns = filtersIn(before).flatMap(({ text }) => /^(?:repo|r):([^@\s]+)/i.exec(text)?.[1] ?? []);
  const has = ({ name }: RepositoryInfo): boolean => patterns.every((pattern) => matches(pattern, name));
  return visible.filter(has).map(({ name }) => name);
}

/** What is no expression, as while it is typed, is a part of a name. */
function matches(pattern: string, name: string): boolean {
  const plain = pattern.replaceAll(/^\^|\$$|\\(?=[^\w])/g, '').toLowerCase();
  if (pattern.startsWith('^') && pattern.endsWith('$')) return name.toLowerCase() === plain;
  return name.toLowerCase().includes(plain);
}

async function repositoriesWith(
  word: string,
  { repositories, links }: Services,
  { caller }: Call,
): Promise<Suggestion[]> {
  const all = await repositories.list(caller);
  return all
    .filter(({ name }) => name.toLowerCase().includes(word.toLowerCase()))
    .slice(0, mostOfKind)
    .map(({ name }) => ({ kind: 'repository', title: name, href: pathOf(links.file({ repo: name, path: '' })) }));
}

async function symbolsLike(
  typed: Typed,
  { symbols, links }: Services,
  { caller, signal }: Call,
): Promise<Suggestion[]> {
  if (!symbols) return [];
  const { files } = await symbols.search(caller, { ...queryFor(typed, 'symbol'), limit: mostOfKind }, signal);
  return files.flatMap(({ repo, path, places, chunks }) =>
    places.slice(0, 1).map(({ line, kind }) => ({
      kind: 'symbol' as const,
      title: nameAt(chunks, line) || path,
      detail: `${kind} · ${repo} ${path}`,
      href: `${pathOf(links.file({ repo, path }))}?L${line}`,
    })),
  );
}

/** The line that declares it says more than the name alone. */
const nameAt = (chunks: readonly { startLine: number; lines: readonly string[] }[], line: number): string =>
  chunks
    .flatMap(({ startLine, lines }) => lines[line - startLine] ?? [])[0]
    ?.trim()
    .slice(0, 120) ?? '';

/** Expressions for folders and files that have a text in their path: the folders in which it stands come first. */
async function pathsLike(typed: Typed, services: Services, call: Call): Promise<string[]> {
  const files = await found(typed, services, { ...call, signal: within(waitAloneMs, call) }).catch(() => []);
  const folders = files.flatMap(({ path }) => {
    const end = path.indexOf('/', path.toLowerCase().indexOf(typed.word) + typed.word.length);
    return end < 0 ? [] : [path.slice(0, end + 1)];
  });
  const paths = [...new Set(folders), ...files.map(({ path }) => path)];
  return [...new Set(paths.map((path) => `^${filterPattern(path)}${path.endsWith('/') ? '' : '$'}`))];
}

async function filesLike(typed: Typed, services: Services, call: Call): Promise<Suggestion[]> {
  const { links } = services;
  const files = await found(typed, services, call);
  return files.slice(0, mostOfKind).map(({ repo, path }) => ({
    kind: 'file',
    title: path,
    detail: repo,
    href: pathOf(links.file({ repo, path })),
  }));
}

async function found(typed: Typed, { search }: Services, { caller, signal }: Call): Promise<SearchResult['files']> {
  const limits = { files: mostValues, chunksPerFile: 0, chunkCharacters: 0, lineCharacters: 0 };
  return (await search.find(caller, { ...queryFor(typed, 'path'), mode: 'keyword', limits }, signal)).files;
}

/** A search for the word with the filters that stand before it. */
function queryFor({ word, before }: Typed, type: 'symbol' | 'path'): ReturnType<typeof queryOf> {
  const kept = filtersIn(before).flatMap(({ text }) => (/^-?(?:type|count|select):/i.test(text) ? [] : text));
  const parts: Query[] = kept.length > 0 ? [parseQuery(kept.join(' ')).query] : [];
  return queryOf([...parts, literal(word)], { types: [type] });
}

const pathOf = (address: string): string => new URL(address).pathname;
