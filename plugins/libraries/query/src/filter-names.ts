const names = {
  repo: ['repo', 'r'],
  file: ['file', 'f', 'path'],
  rev: ['rev', 'revision'],
  lang: ['lang', 'language', 'l'],
  count: ['count'],
  type: ['type'],
  case: ['case'],
  patterntype: ['patterntype'],
  select: ['select'],
  fork: ['fork'],
  archived: ['archived'],
} as const;

export type FilterName = keyof typeof names;

const byAlias = new Map<string, FilterName>();
for (const [name, aliases] of Object.entries(names) as [FilterName, readonly string[]][])
  for (const alias of aliases) byAlias.set(alias, name);

/** The filter of that name, in any case, or undefined. */
export const filterNamed = (name: string): FilterName | undefined => byAlias.get(name.toLowerCase());

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
  forks: 'fork',
  archive: 'archived',
};

/** A remark on a word that is probably meant as a filter; it is searched as text all the same. */
export function looksLikeFilter(word: string): string[] {
  const prefix = /^([a-zA-Z]+):[^:/]/.exec(word)?.[1]?.toLowerCase() ?? '';
  const meant = Object.hasOwn(likely, prefix) ? likely[prefix] : undefined;
  return meant ? [`"${prefix}:" is no filter and was searched as text; did you mean "${meant}:"?`] : [];
}
