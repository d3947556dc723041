import { languagePattern, positiveTerms, printPart } from '@sextant/contracts';
import type { Query } from '@sextant/contracts';
import type { Patterns } from '@sextant/library-block-index';
import type { OpenedSnapshot } from '../revisions/opened-snapshots.ts';

/** `.*`, `\w+`, `[a-z]`, `]?`, `a|b`, `^a` and `a$`: rarely meant as plain text. */
const signs = /[.)\]][*+]|[)\]]\?|\\[bBdDsSwW]|\[\w-\w|\w\|\w|^\^\w|\w\$$/;

/** A hint if nothing was found and a text reads like a regular expression. */
export function expressionNote(query: Query): string | undefined {
  const texts = positiveTerms(query).flatMap((term) => (term.kind === 'literal' ? term.text : []));
  const text = texts.find((each) => signs.test(each));
  if (text === undefined) return undefined;
  const expression = printPart({ kind: 'regex', pattern: text, isCaseSensitive: false });
  return `"${text}" was looked for as it stands; write ${expression} for a regular expression.`;
}

/** Names of files in a note. */
const namesShown = 3;

/** Names of binary files. Large files are not read, so only their names tell that they are binary. */
const binaryNames =
  /\.(?:7z|a|ai|avi|bin|bmp|bz2|class|dat|db|dll|dmg|doc|docx|dylib|eot|exe|flac|gif|gz|icns|ico|iso|jar|jpe?g|lib|mov|mp[34]|o|ogg|onnx|otf|pack|parquet|pdf|png|ppt|pptx|psd|pyc|rar|so|sqlite3?|tar|tgz|tiff?|ttf|wasm|wav|webm|webp|whl|woff2?|xlsx?|xz|zip|zst)$/i;

/** The names that match an expression. */
type Matching = (pattern: string) => ReadonlySet<string>;

/** Files whose text was not searched, though the query is about text. */
interface UnsearchedText {
  readonly files: number;
  readonly sentence: string;
  /** Whether `file:` asks for them. */
  readonly isAsked: boolean;
}

/**
 * Files that the filters of a query allow but whose text was not searched. These are files that are too large. Those whose
 * names say that they are no text count only if `file:` asks for them. If nothing was found, so do all files without text.
 * Undefined if there are none.
 */
export function unsearchedText(
  snapshots: readonly OpenedSnapshot[],
  { patterns, isFound }: { patterns: Patterns; isFound: boolean },
): UnsearchedText | undefined {
  const asked = snapshots.flatMap(({ snapshot, target: { query } }) => {
    const filters = query.kind === 'and' ? query.children : [];
    const isAsked = filters.some(({ kind }) => kind === 'file');
    // Most snapshots have no such file: then this takes no time.
    if (snapshot.counts.tooLarge === 0 && (isFound || !isAsked)) return [];
    if (positiveTerms(query).length === 0) return [];
    const all = snapshot.unsearched
      .filter(({ path, isTooLarge }) => (isTooLarge && (isAsked || !binaryNames.test(path))) || (isAsked && !isFound))
      .map(({ path }) => path);
    return all.length === 0 ? [] : [{ filters, all, isAsked }];
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
  const isAsked = asked.some((each) => each.isAsked);
  const why = isFound || !isAsked ? 'too large' : 'too large, or no text';
  const sentence = `Searched by name only, as ${why}: ${names}${more}. read_file shows lines of text of any size.`;
  return { files: paths.length, sentence, isAsked };
}

/** Which of these names match an expression. Cached for all snapshots, as compiling it takes longer than using it. */
function matchingAmong(names: readonly string[], patterns: Patterns): Matching {
  const known = new Map<string, ReadonlySet<string>>();
  return (pattern) => {
    const found = known.get(pattern) ?? patterns.matching(pattern, names);
    known.set(pattern, found);
    return found;
  };
}

/** The paths that match each `file:` and `lang:`, and none that is excluded. */
function meantBy(filters: readonly Query[], paths: readonly string[], matching: Matching): readonly string[] {
  let left = paths;
  for (const filter of filters) {
    const [named, isExcluding] = filter.kind === 'not' ? [filter.child, true] : [filter, false];
    const pattern = patternOf(named);
    if (pattern === undefined) continue;
    const meant = matching(pattern);
    left = left.filter((path) => meant.has(path) !== isExcluding);
  }
  return left;
}

/** The expression that a filter has paths match. */
function patternOf(filter: Query): string | undefined {
  if (filter.kind === 'lang') return languagePattern(filter.name);
  return filter.kind === 'file' ? filter.pattern : undefined;
}
