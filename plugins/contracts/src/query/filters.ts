import type { QueryFilter, QuerySubject } from './query.ts';

/**
 * What a filter says: `place` where to search, `file` which files, `commit` which commits and lines of diffs, `option` how
 * the query is read and what is shown.
 */
export type FilterRole = 'place' | 'file' | 'commit' | 'option';

/** What is known of a filter besides its name. */
export interface FilterDefinition {
  /** Every name that a query may use, the filter's own among them. */
  readonly aliases: readonly string[];
  readonly role: FilterRole;
  /** The searches that it is for. Where none of them is meant, its name is text, or the service refuses it. */
  readonly subjects: readonly QuerySubject[];
  /** The leaves of a parsed query that it becomes. */
  readonly leaves: readonly QueryFilter['kind'][];
  /** Its values in short, where they are few. */
  readonly values?: string;
  /** Whether the search tools name it in their description, which every model reads; and a remark there. */
  readonly inTools?: true | string;
  /** One line for people. */
  readonly help: string;
}

const everywhere = ['files', 'symbols', 'history'] as const;
const ofFiles = ['files', 'symbols'] as const;
const ofHistory = ['history'] as const;

const definitions = {
  repo: {
    aliases: ['repo', 'r'],
    role: 'place',
    subjects: everywhere,
    leaves: ['repo', 'repo-has-path', 'repo-has-topic'],
    inTools: true,
    help: 'Repositories by a regular expression on their names; repo:name@revision at a revision',
  },
  file: {
    aliases: ['file', 'f', 'path'],
    role: 'file',
    subjects: everywhere,
    leaves: ['file'],
    inTools: '(regex, - negates)',
    help: 'Files by a regular expression on their paths',
  },
  rev: {
    aliases: ['rev', 'revision'],
    role: 'place',
    subjects: everywhere,
    leaves: ['rev'],
    inTools: true,
    help: 'Branches, tags or commits, several with ":" between them',
  },
  lang: {
    aliases: ['lang', 'language', 'l'],
    role: 'file',
    subjects: ofFiles,
    leaves: ['lang'],
    inTools: true,
    help: 'Files of a language',
  },
  case: {
    aliases: ['case'],
    role: 'option',
    subjects: everywhere,
    leaves: [],
    values: 'yes',
    inTools: true,
    help: 'Upper and lower case differ',
  },
  count: {
    aliases: ['count', 'limit'],
    role: 'option',
    subjects: everywhere,
    leaves: [],
    values: 'N|all',
    inTools: true,
    help: 'Number of results',
  },
  type: {
    aliases: ['type'],
    role: 'option',
    subjects: everywhere,
    leaves: [],
    values: 'path|repo|symbol|commit|diff',
    inTools: true,
    help: 'What the results are; files where it is absent',
  },
  select: {
    aliases: ['select'],
    role: 'option',
    subjects: ['files'],
    leaves: [],
    values: 'repo|file',
    inTools: true,
    help: 'Each repository, or each file, once',
  },
  patterntype: {
    aliases: ['patterntype'],
    role: 'option',
    subjects: everywhere,
    leaves: [],
    values: 'regexp|literal',
    help: 'How words are read',
  },
  fork: {
    aliases: ['fork'],
    role: 'place',
    subjects: ofFiles,
    leaves: ['fork'],
    values: 'yes|no|only',
    help: 'Whether forks are searched',
  },
  archived: {
    aliases: ['archived'],
    role: 'place',
    subjects: ofFiles,
    leaves: ['archived'],
    values: 'yes|no|only',
    help: 'Whether archived repositories are searched',
  },
  visibility: {
    aliases: ['visibility'],
    role: 'place',
    subjects: ofFiles,
    leaves: ['visibility'],
    values: 'any|public|private',
    help: 'Repositories that every signed-in user may read, or the others',
  },
  stars: {
    aliases: ['stars'],
    role: 'place',
    subjects: ofFiles,
    leaves: ['stars'],
    values: '>=10|>=100|>=1000',
    help: 'Repositories by the stars that they have on their code host, also as 10..100',
  },
  pushed: {
    aliases: ['pushed'],
    role: 'place',
    subjects: ofFiles,
    leaves: ['pushed'],
    values: '>1.week.ago|>1.month.ago|<1.year.ago',
    help: 'Repositories by the last push to their code host, such as >2026-01-31 or 2025-01-01..2025-12-31',
  },
  author: {
    aliases: ['author'],
    role: 'commit',
    subjects: ofHistory,
    leaves: ['author'],
    inTools: true,
    help: 'Commits by a regular expression on "Name <e-mail>"',
  },
  message: {
    aliases: ['message', 'msg', 'm'],
    role: 'commit',
    subjects: ofHistory,
    leaves: ['message'],
    inTools: true,
    help: 'Commits by a regular expression on a line of the message',
  },
  line: {
    aliases: ['line'],
    role: 'commit',
    subjects: ofHistory,
    leaves: ['line'],
    help: 'Commits by a regular expression on an added or removed line',
  },
  after: {
    aliases: ['after', 'since'],
    role: 'commit',
    subjects: ofHistory,
    leaves: ['after'],
    inTools: true,
    help: 'Commits since a date, such as 2026-01-31 or "2 weeks ago"',
  },
  before: {
    aliases: ['before', 'until'],
    role: 'commit',
    subjects: ofHistory,
    leaves: ['before'],
    inTools: true,
    help: 'Commits before a date',
  },
  diff: {
    aliases: ['diff'],
    role: 'commit',
    subjects: ofHistory,
    leaves: ['diff'],
    values: 'added|removed',
    help: 'Lines of one side of a diff',
  },
} as const satisfies Readonly<Record<string, FilterDefinition>>;

export type FilterName = keyof typeof definitions;

/**
 * Every filter of the query language. Parser, tools, pages and services derive from this table what they know of filters.
 * A filter that is added here does not compile until `parse.ts`, `print.ts` and the engines say what they do with it.
 */
export const filters: Readonly<Record<FilterName, FilterDefinition>> = definitions;

const entries = Object.entries(filters) as [FilterName, FilterDefinition][];

/** Filters of commits are filters only where history is asked for: in files such words are text, of which code is full. */
const isRead = ({ role }: FilterDefinition, isHistory: boolean): boolean => isHistory || role !== 'commit';

/** Every name of a filter that a query may use. */
export const filterAliases = (isHistory: boolean): string[] =>
  entries.flatMap(([, filter]) => (isRead(filter, isHistory) ? filter.aliases : []));

/** Filters with their values in short, such as `repo: case:yes`, in one line. */
export function filterList(wanted: (filter: FilterDefinition) => boolean): string {
  const texts = entries.flatMap(([name, filter]) => (wanted(filter) ? `${name}:${filter.values ?? ''}` : []));
  return texts.join(' ');
}

/** What the description of a search tool says of filters. */
export const filtersInTools = (): string => `${toolList(false)}; of commits ${toolList(true)}`;

const toolList = (isOfCommits: boolean): string =>
  entries
    .filter(([, { role, inTools }]) => inTools !== undefined && (role === 'commit') === isOfCommits)
    .map(([name, { values = '', inTools }]) => [`${name}:${values}`, ...(inTools === true ? [] : [inTools])].join(' '))
    .join(' ');

/** The kinds of leaves that filters of a role become. */
export const leavesOfRole = (role: FilterRole): QueryFilter['kind'][] =>
  entries.flatMap(([, filter]) => (filter.role === role ? filter.leaves : []));

const byAlias = new Map(entries.flatMap(([name, { aliases }]) => aliases.map((alias) => [alias, name] as const)));

/** The filter of that name, in any case, or undefined. */
export function filterNamed(name: string, isHistory: boolean): FilterName | undefined {
  const found = byAlias.get(name.toLowerCase());
  return found && isRead(filters[found], isHistory) ? found : undefined;
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
const needless = /^(?:context:(?:global|@[\w-]+)|timeout:\d+(?:ms|s|m)|index:(?:yes|no|only)|in:file)$/i;

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
  Object.hasOwn(likely, prefix) ? likely[prefix] : filterAliases(false).find((alias) => isMisspelt(prefix, alias));

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
