import { posix } from 'node:path';
import type { FoundFile } from '@sextant/contracts';
import { didYouMean, escapeRegExp, oneLine, SextantError } from '@sextant/core';
import type { LanguageTable } from '../languages/language-table.ts';
import { byText, definerLimits } from '../limits.ts';
import type { Candidates } from '../candidates/candidates.ts';
import { isShared } from '../snapshot/source-file.ts';
import type { SourceFile, Target } from '../snapshot/source-file.ts';
import type { Place } from './text-lines.ts';

/** Characters of a text among whose words a similar name is looked for. */
const longestLookedAt = 100_000;

interface AskedName {
  readonly symbol: string;
  /** The type or namespace that is written before it. */
  readonly owner: string | undefined;
}

/** Throws `not_found` if a text does not have the name as a whole word. */
export function refuseAbsentWord({ path, text, symbol }: { path: string; text: string; symbol: string }): void {
  const word = new RegExp(`(?<![\\p{L}\\p{N}_])${escapeRegExp(symbol)}(?![\\p{L}\\p{N}_])`, 'u');
  if (word.test(text)) return;
  const similar = didYouMean(symbol, text.slice(0, longestLookedAt).match(/[\p{L}_]\w+/gu) ?? []);
  throw absentName(path, symbol, similar || elsewhere);
}

/** Throws `not_found` if a file has neither the name nor its owner. The error names files that define it, or else similar names. */
export async function refuseAbsentName(
  candidates: Candidates,
  file: SourceFile,
  { symbol, owner }: AskedName,
): Promise<void> {
  const { path, symbols } = file;
  const imported = symbols.imports.map(({ local }) => local);
  const has = (name: string | undefined): boolean =>
    name !== undefined && (symbols.has(name) || imported.includes(name));
  if (has(symbol) || has(owner)) return;
  const defined = await candidates.definitions(file, { name: symbol, limit: definerLimits.named }, isShared);
  const places = [...new Set(defined.map((target) => target.path))];
  const hint =
    places.length === 0
      ? didYouMean(symbol, [...new Set([...symbols.names, ...imported])]) || elsewhere
      : ` It is defined in ${new Intl.ListFormat('en').format(places)}.`;
  throw absentName(path, symbol, hint);
}

const elsewhere = ' keyword_search finds names in all files, with type:symbol what defines them.';

const absentName = (path: string, symbol: string, hint: string): SextantError =>
  new SextantError('not_found', oneLine(`${path} has no symbol "${symbol}".${hint}`));

/**
 * A note for a name without uses: how many other lines of the repository have it. Undefined if there are none, and for a local name, which
 * other lines cannot mean.
 */
export async function otherLines(
  { snapshot, candidates }: Place,
  targets: readonly Target[],
): Promise<string | undefined> {
  const [target] = targets;
  if (!target || targets.every(({ definition: { scope } }) => scope)) return undefined;
  const { name } = target.definition;
  const { matchCount, limitHit } = await candidates.text.lines(snapshot, name, { limit: byText.files, isNamed: false });
  const own = targets.filter((one) => one.snapshot.repo === snapshot.repo && one.definition.name === name);
  const count = matchCount - new Set(own.map(({ path, definition: { line } }) => `${path}\0${line}`)).size;
  if (count <= 0) return undefined;
  const least = limitHit ? 'At least ' : '';
  return count === 1
    ? `${least}1 other line of the repository also has this name, but could not be resolved to it; keyword_search finds it.`
    : `${least}${count} other lines of the repository also have this name, but could not be resolved to it; keyword_search finds them.`;
}

/** Most endings of file names in one note. */
const endingsNamed = 5;

/** A note for a search for symbols without result: what the files with the text are. */
export function whyNoSymbol(files: readonly FoundFile[], languages: LanguageTable): string {
  if (files.length === 0) return 'No file has the text; nls_search finds words in other forms.';
  const unknown = files.filter(({ path }) => !languages.of(path)).map(({ path }) => posix.extname(path));
  const endings = [...new Set(unknown)].filter((ending) => ending !== '').slice(0, endingsNamed);
  const but = endings.length > 0 ? ` (the syntax of ${endings.join(', ')} is not known here)` : '';
  return `Files have the text, but nothing of such a name is defined in them${but}; without type:symbol they are shown.`;
}
