import type { Query } from '@sextant/library-query';
import type { OpenedView } from './opened-views.ts';
import type { Patterns } from './patterns.ts';
import { positiveTerms } from './positive-terms.ts';

const namesShown = 3;

/**
 * What `file:` means of which no text was searched: files that are too large, and where nothing was found also those that are no text.
 * Undefined where there is none.
 */
export function namedOnlyNote(
  views: readonly OpenedView[],
  { patterns, isFound }: { patterns: Patterns; isFound: boolean },
): string | undefined {
  const paths = views.flatMap(({ view, target: { query } }) => {
    // Most queries have none: then this takes no time.
    if (query.kind !== 'and' || !query.children.some(({ kind }) => kind === 'file')) return [];
    if (positiveTerms(query).length === 0) return [];
    const all = view.namedOnly.filter(({ isTooLarge }) => isTooLarge || !isFound).map(({ path }) => path);
    return meantBy(query.children, all, patterns);
  });
  const [first, ...others] = paths;
  if (first === undefined) return undefined;
  const names = [first, ...others.slice(0, namesShown - 1)].join(', ');
  const more = paths.length > namesShown ? ` and ${paths.length - namesShown} more` : '';
  const why = isFound ? 'too large' : 'too large, or no text';
  return `Searched by name only, as ${why}: ${names}${more}. read_file shows lines of text of any size.`;
}

/** Those that each `file:` means and no `-file:`. */
function meantBy(filters: readonly Query[], paths: readonly string[], patterns: Patterns): readonly string[] {
  let left = paths;
  for (const filter of filters) {
    const [named, isExcluding] = filter.kind === 'not' ? [filter.child, true] : [filter, false];
    if (named.kind !== 'file') continue;
    const matching = patterns.matching(named.pattern, left);
    left = left.filter((path) => matching.has(path) !== isExcluding);
  }
  return left;
}
