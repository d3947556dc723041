/** Repositories on disk that a test serves. */
export interface ServedRepositories {
  /** Where the test keeps its data. */
  readonly folder: string;
  /** Names, with where each is. */
  readonly repositories: Readonly<Record<string, string>>;
  /** Those that only administrators may read. */
  readonly hidden?: readonly string[];
}

/** The same as entries of `repositories` in the configuration. */
export const configuredRepositories = ({
  repositories,
  hidden = [],
}: Omit<ServedRepositories, 'folder'>): { name: string; path: string; access?: object }[] =>
  Object.entries(repositories).map(([name, path]) => ({ name, path, ...(hidden.includes(name) && { access: {} }) }));
