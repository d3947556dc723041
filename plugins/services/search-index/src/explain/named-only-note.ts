import type { Query } from '@sextant/contracts';
import type { OpenedSnapshot } from '../revisions/opened-snapshots.ts';
import type { Patterns } from '../match/patterns.ts';
import { positiveTerms } from '../match/positive-terms.ts';

const namesShown = 3;

/** The names that match an expression. */
type Matching = (pattern: string) => ReadonlySet<string>;

/**
 * What `file:` means of which no text was searched: files that are too large, and where nothing was found also those that are no text.
 * Undefined where there is none.
 */
export function namedOnlyNote(
  views: readonly OpenedSnapshot[],
  { patterns, isFound }: { patterns: Patterns; isFound: boolean },
): string | undefined {
  const asked = views.flatMap(({ view, target: { query } }) => {
    // Most queries have none: then this takes no time.
    if (query.kind !== 'and' || !query.children.some(({ kind }) => kind === 'file')) return [];
    if (positiveTerms(query).length === 0) return [];
    const all = view.unsearched.filter(({ isTooLarge }) => isTooLarge || !isFound).map(({ path }) => path);
    return all.length === 0 ? [] : [{ filters: query.children, all }];
  });
  const matching = matchingAmong(
    asked.flatMap(({ all }) => all),
    patterns,
  );
  const paths = asked.flatMap(({ filters, all }) => meantBy(filters, all, matching));
  const [first, ...others] = paths;
  if (first === undefined) return undefined;
  const names = [first, ...others.slice(0, namesShown - 1)].join(', ');
  const more = paths.length > namesShown ? ` and ${paths.length - namesShown} more` : '';
  const why = isFound ? 'too large' : 'too large, or no text';
  return `Searched by name only, as ${why}: ${names}${more}. read_file shows lines of text of any size.`;
}

/** Which of these names an expression means, found out once for all views: to make an automaton takes longer than to use it. */
function matchingAmong(names: readonly string[], patterns: Patterns): Matching {
  const known = new Map<string, ReadonlySet<string>>();
  return (pattern) => {
    const found = known.get(pattern) ?? patterns.matching(pattern, names);
    known.set(pattern, found);
    return found;
  };
}

/** Those that each `file:` means and no `-file:`. */
function meantBy(filters: readonly Query[], paths: readonly string[], matching: Matching): readonly string[] {
  let left = paths;
  for (const filter of filters) {
    const [named, isExcluding] = filter.kind === 'not' ? [filter.child, true] : [filter, false];
    if (named.kind !== 'file') continue;
    const meant = matching(named.pattern);
    left = left.filter((path) => meant.has(path) !== isExcluding);
  }
  return left;
}
