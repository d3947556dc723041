import { didYouMean, escapeRegExp, oneLine, SextantError } from '@sextant/core';
import type { Candidates } from '../candidates/candidates.ts';
import { isShared } from '../snapshot/source-file.ts';
import type { SourceFile } from '../snapshot/source-file.ts';

/** Characters of a text among whose words a similar name is looked for. */
const longestLookedAt = 100_000;
/** Most files that an error names as defining the symbol. The nearest come first. */
const filesLookedAt = 3;

interface AskedName {
  readonly symbol: string;
  /** The type or namespace that is written before it. */
  readonly owner: string | undefined;
}

/** Throws `not_found` if a text does not have the name as a whole word. */
export function refuseAbsentWord({ path, text, symbol }: { path: string; text: string; symbol: string }): void {
  const word = new RegExp(`(?<![\\p{L}\\p{N}_])${escapeRegExp(symbol)}(?![\\p{L}\\p{N}_])`, 'u');
  if (word.test(text)) return;
  throw absentName(path, symbol, didYouMean(symbol, text.slice(0, longestLookedAt).match(/[\p{L}_]\w+/gu) ?? []));
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
  const defined = await candidates.definitions(file, { name: symbol, limit: filesLookedAt }, isShared);
  const places = [...new Set(defined.map((target) => target.path))];
  const hint =
    places.length === 0
      ? didYouMean(symbol, [...new Set([...symbols.names, ...imported])])
      : ` It is defined in ${new Intl.ListFormat('en').format(places)}.`;
  throw absentName(path, symbol, hint);
}

const absentName = (path: string, symbol: string, hint: string): SextantError =>
  new SextantError('not_found', oneLine(`${path} has no symbol "${symbol}".${hint}`));
