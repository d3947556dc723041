const names = {
  repo: ['repo', 'r'],
  file: ['file', 'f', 'path'],
  rev: ['rev', 'revision'],
  lang: ['lang', 'language', 'l'],
  count: ['count', 'limit'],
  type: ['type'],
  case: ['case'],
  patterntype: ['patterntype'],
  select: ['select'],
  fork: ['fork'],
  archived: ['archived'],
} as const;

/** Filters of commits and diffs; in a query for files such words are text, of which code is full. */
const historyNames = {
  author: ['author'],
  message: ['message', 'msg', 'm'],
  line: ['line'],
  after: ['after', 'since'],
  before: ['before', 'until'],
  diff: ['diff'],
} as const;

export type FilterName = keyof typeof names | keyof typeof historyNames;

const aliasesOf = (filters: Readonly<Partial<Record<FilterName, readonly string[]>>>): Map<string, FilterName> =>
  new Map(
    (Object.entries(filters) as [FilterName, readonly string[]][]).flatMap(([name, aliases]) =>
      aliases.map((alias) => [alias, name] as const),
    ),
  );
const byAlias = aliasesOf(names);
const byHistoryAlias = aliasesOf(historyNames);

/** The filter of that name, in any case, or undefined. */
export function filterNamed(name: string, isHistory: boolean): FilterName | undefined {
  const key = name.toLowerCase();
  return byAlias.get(key) ?? (isHistory ? byHistoryAlias.get(key) : undefined);
}

/** Whether a name with this value is text although it names a filter: `limit:10` is a filter, code has `limit:max`. */
export const isTextWith = (name: string, value: string): boolean =>
  name.toLowerCase() === 'limit' && !/^(?:\d+|all)$/i.test(value);

const likely: Readonly<Record<string, FilterName>> = {
  repos: 'repo',
  repository: 'repo',
  repositories: 'repo',
  files: 'file',
  filename: 'file',
  filepath: 'file',
  dir: 'file',
  branch: 'rev',
  commit: 'rev',
  languages: 'lang',
  limit: 'count',
  max: 'count',
  pattern: 'patterntype',
  org: 'repo',
  forks: 'fork',
  archive: 'archived',
};

/** Filters of other search engines that would change nothing here. */
const needless =
  /^(?:context:(?:global|@[\w-]+)|timeout:\d+(?:ms|s|m)|index:(?:yes|no|only)|visibility:(?:any|public|private)|in:file)$/i;

const endOfPath = (value: string): string => `write file:\\.${value}$ for how paths end`;
const definition = (value: string): string => `write type:symbol ${value} for where it is defined`;

/** What to write for filters of other search engines that have another form here. */
const otherwise: Readonly<Record<string, (value: string) => string>> = {
  content: () => 'write the text alone',
  ext: endOfPath,
  extension: endOfPath,
  sym: definition,
  symbol: definition,
};

/** Words that are probably filters of commits: most others that begin so are code. */
const meantOfCommits = /^(?:author:[^:/]|(?:after|since|before|until):\d{4}-)/i;

/** A remark on the name of a filter without a value, which is searched as text. */
export const lacksValue = (word: string, isHistory: boolean): string[] =>
  word.endsWith(':') && filterNamed(word.slice(0, -1), isHistory)
    ? [`"${word}" was searched as text; the value of a filter stands right behind the colon, without a space.`]
    : [];

/** A remark on a word that is probably meant as a filter; it is searched as text all the same. */
export function looksLikeFilter(word: string): string[] {
  const [, written = '', value = ''] = /^([a-zA-Z]+):(?=[^:/])"?\.?(\w*)/.exec(word) ?? [];
  const prefix = written.toLowerCase();
  if (meantOfCommits.test(word))
    return [`"${prefix}:" was searched as text; with type:commit or type:diff it says which commits.`];
  if (needless.test(word)) return [`"${word}" is no filter and was searched as text; leave it out.`];
  const name = meantBy(prefix);
  const meant = name ? `did you mean "${name}:"?` : undefined;
  const other = Object.hasOwn(otherwise, prefix) ? `${otherwise[prefix]?.(value)}.` : undefined;
  const advice = meant ?? other;
  return advice === undefined ? [] : [`"${prefix}:" is no filter and was searched as text; ${advice}`];
}

/** The filter that an unknown name probably means. */
const meantBy = (prefix: string): string | undefined =>
  Object.hasOwn(likely, prefix) ? likely[prefix] : [...byAlias.keys()].find((alias) => isMisspelt(prefix, alias));

/** In shorter names one letter makes another word: `base` is not `case`. */
const longName = 6;

/** Whether a word is a name with two letters swapped, or a long one with one letter missing, wrong or too many. */
function isMisspelt(word: string, name: string): boolean {
  const start = sharedStart(word, name);
  const end = sharedStart(reversed(word.slice(start)), reversed(name.slice(start)));
  const [written, meant] = [word.slice(start, word.length - end), name.slice(start, name.length - end)];
  const isSwapped = meant.length === 2 && written === reversed(meant);
  return isSwapped || (name.length >= longName && Math.max(written.length, meant.length) === 1);
}

const reversed = (text: string): string => [...text].toReversed().join('');

function sharedStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
