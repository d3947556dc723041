import { SextantError, cut, didYouMean } from '@sextant/core';

/** What a list of repositories knows of a name. */
export interface NamedIn<E> {
  /** The repository of exactly this name. */
  readonly exact: E | undefined;
  /** The one that had it before. */
  readonly former: E | undefined;
  /** All that the caller may read. */
  visible(): readonly E[];
  canRead(entry: E): boolean;
  nameOf(entry: E): string;
  /** Whether a code host lists it: then the end of its name is enough. */
  isHosted(entry: E): boolean;
}

/**
 * The repository that a caller means: by its name, a former name, or a suffix that is unique among what they may read.
 * Throws the same `not_found` for a repository that is hidden from the caller as for one that does not exist.
 */
export function repositoryNamed<E>(name: string, { exact, former, visible, canRead, nameOf, isHosted }: NamedIn<E>): E {
  if (exact && canRead(exact)) return exact;
  if (former && canRead(former)) return former;
  const all = visible();
  const [only, ...others] = all.filter((other) => isHosted(other) && nameOf(other).endsWith(`/${name}`));
  if (only && others.length === 0) return only;
  throw notFound(name, all.map(nameOf));
}

function notFound(name: string, names: readonly string[]): SextantError {
  const meant = names.filter((each) => each.endsWith(`/${name}`)).slice(0, 3);
  const hint = meant.length > 0 ? ` Did you mean ${meant.join(' or ')}?` : didYouMean(name, names);
  return new SextantError(
    'not_found',
    `repository "${cut(name, 200)}" not found; list_repos shows the names you can use.${hint}`,
  );
}
