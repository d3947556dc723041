import type { FoundFile, FoundSymbols, SearchResult, SymbolFile, SymbolQuery } from '@sextant/contracts';
import type { LineMatcher, Patterns } from '@sextant/library-block-index';
import { callableKinds, containerKinds } from '@sextant/contracts/definition-kinds';
import { symbolSearch } from '../limits.ts';
import { isVisible } from '../answers/outline.ts';
import { placeOf, symbolFiles } from '../answers/symbol-file.ts';
import { whyNoSymbol } from '../answers/why-nothing.ts';
import type { TextCandidates } from '../candidates/text-candidates.ts';
import type { Definition } from '../parse/file-symbols.ts';
import { isTestPath } from '../paths.ts';
import type { Snapshot, Snapshots } from '../snapshot/snapshot.ts';
import { kindsByWord, simpleNameMeant, symbolQuestion } from './symbol-query.ts';
import type { NameCondition, SymbolQuestion } from './symbol-query.ts';

const atOnce = 8;

interface RatedDefinition {
  readonly definition: Definition;
  readonly rate: number;
}

interface FoundIn {
  readonly snapshot: Snapshot;
  readonly path: string;
  /** The best first. */
  readonly definitions: readonly RatedDefinition[];
}

export interface SymbolSearchParts {
  readonly snapshots: Snapshots;
  readonly text: TextCandidates;
  readonly patterns: Patterns;
}

/** Finds definitions by name: in the files that have the words, by what their syntax says. */
export class SymbolSearch {
  readonly #parts: SymbolSearchParts;

  constructor(parts: SymbolSearchParts) {
    this.#parts = parts;
  }

  async find({ limit, isPart = false, isNamed, ...query }: SymbolQuery): Promise<FoundSymbols> {
    const question = symbolQuestion(query);
    const test = nameTest(question, this.#parts.patterns);
    try {
      const { files, limitHit, notes } = await this.#parts.text.matching(question.fileQuery, {
        isPart,
        ...(isNamed !== undefined && { isNamed }),
      });
      const { found: all, lookedAt } = await this.#definitionsIn(files, test);
      const found = inOrder(all);
      const most = question.count === 'all' ? found.length : (question.count ?? limit);
      const places = question.count === undefined ? symbolSearch.places : Infinity;
      return {
        files: (await Promise.all(found.slice(0, most).map((one) => shownFile(one, { places, isPart })))).flat(),
        matchCount: found.reduce((sum, { definitions }) => sum + definitions.length, 0),
        limitHit:
          limitHit ||
          lookedAt < files.length ||
          found.length > most ||
          found.some(({ definitions }) => definitions.length > places),
        notes: [
          ...question.notes,
          ...(found.length > 0 || isPart ? [] : this.#whyNone(question, { files, notes })),
          ...this.#leftOut(question, { lookedAt, isCut: limitHit || lookedAt < files.length }),
          ...notes,
        ],
      };
    } finally {
      test.release();
    }
  }

  /** Looks at the files in their order, as long as there is time. */
  async #definitionsIn(files: readonly FoundFile[], test: NameTest): Promise<{ found: FoundIn[]; lookedAt: number }> {
    const { snapshots } = this.#parts;
    const found: FoundIn[] = [];
    for (let at = 0; at < files.length; at += atOnce) {
      if (snapshots.isLate) return { found, lookedAt: at };
      const some = files.slice(at, at + atOnce).map((file) => this.#definitionsOf(file, test));
      found.push(...(await Promise.all(some)).flat());
    }
    return { found, lookedAt: files.length };
  }

  async #definitionsOf({ repo, path, revision }: FoundFile, test: NameTest): Promise<FoundIn[]> {
    const snapshot = await this.#parts.snapshots.openOther(repo, revision);
    const symbols = await snapshot?.symbols(path);
    await this.#parts.snapshots.share();
    const rated = (symbols?.definitions ?? [])
      .filter(isVisible)
      .map((definition) => ({ definition, rate: test.rate(definition) }))
      .filter(({ rate }) => rate > 0)
      .toSorted((a, b) => b.rate - a.rate);
    return snapshot && rated.length > 0 ? [{ snapshot, path, definitions: rated }] : [];
  }

  /** Notes that say what the answer lacks. */
  #leftOut({ name }: SymbolQuestion, { lookedAt, isCut }: { lookedAt: number; isCut: boolean }): string[] {
    const { notes } = this.#parts.snapshots;
    if (name || !isCut) return notes;
    return [
      `Only ${lookedAt} files were looked at, as the query says nothing of names: add a part of one, repo: or file:.`,
      ...notes,
    ];
  }

  /** Notes that say why no name was found. The search for files may have said it already. */
  #whyNone({ name }: SymbolQuestion, { files, notes }: Pick<SearchResult, 'files' | 'notes'>): string[] {
    const meant = simpleNameMeant(name);
    if (meant !== '') return [meant];
    return notes.length > 0 ? [] : [whyNoSymbol(files, this.#parts.snapshots.languages)];
  }
}

/** Files with the best names first. A test comes after other files with equally good names. */
const inOrder = (found: readonly FoundIn[]): FoundIn[] => found.toSorted((a, b) => rateOf(b) - rateOf(a));

const rateOf = ({ path, definitions: [best] }: FoundIn): number => (best?.rate ?? 0) - (isTestPath(path) ? 1 : 0);

const shownFile = async (
  found: FoundIn,
  { places, isPart }: { places: number; isPart: boolean },
): Promise<SymbolFile[]> => {
  const { snapshot, path, definitions } = found;
  const shown = definitions.slice(0, places).map(({ definition }) => {
    const { line, column, name } = definition;
    const range = [column, column + name.length] as const;
    return { snapshot, path, place: { ...placeOf(definition), range }, startLine: line, endLine: line };
  });
  return (await symbolFiles(shown)).map((file) => ({
    ...file,
    matchCount: definitions.length,
    ...(isPart && { rate: rateOf(found) }),
  }));
};

/** Rates how well a name matches; 0: not at all. Release it after use. */
interface NameTest {
  rate(definition: Definition): number;
  release(): void;
}

type Test = (name: string) => number;

/** Throws `invalid_argument` for a regular expression that cannot be used. */
function nameTest({ name: condition, kinds }: Pick<SymbolQuestion, 'name' | 'kinds'>, patterns: Patterns): NameTest {
  const compiled: LineMatcher[] = [];
  const release = (): void => {
    for (const pattern of compiled.splice(0)) pattern.release();
  };
  const testOf = (part: NameCondition): Test => {
    if (part.kind === 'literal') return literalTest(part.text, part.isCaseSensitive);
    if (part.kind === 'not') {
      const child = testOf(part.child);
      return (name) => (child(name) > 0 ? 0 : 1);
    }
    if (part.kind === 'regex') {
      const pattern = patterns.compile(part.pattern, { foldCase: !part.isCaseSensitive });
      compiled.push(pattern);
      return (name) => (pattern.test(name) ? 2 : 0);
    }
    const children = part.children.map(testOf);
    const all = (name: string): number[] => children.map((child) => child(name));
    return part.kind === 'or' ? (name) => Math.max(...all(name)) : (name) => meanUnlessZero(all(name));
  };
  try {
    const test = condition ? testOf(condition) : (): number => 1;
    const isOfKinds = ({ name, kind }: Definition): boolean =>
      kinds.every((word) => kindsByWord[word]?.includes(kind) || name.toLowerCase().includes(word));
    return { rate: (definition) => (isOfKinds(definition) ? rated(test(definition.name), definition) : 0), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** A whole name rates higher than its beginning, and that higher than another part. */
function literalTest(text: string, isCaseSensitive: boolean): Test {
  const fold = (name: string): string => (isCaseSensitive ? name : name.toLowerCase());
  const wanted = fold(text);
  return (name) => {
    const folded = fold(name);
    if (!folded.includes(wanted)) return 0;
    if (folded === wanted) return name === text ? 8 : 7;
    return folded.startsWith(wanted) ? 4 : 2;
  };
}

const meanUnlessZero = (rates: readonly number[]): number =>
  rates.includes(0) ? 0 : rates.reduce((sum, rate) => sum + rate, 0) / rates.length;

/** Among equal names, types come before functions, and functions before the rest. */
function rated(rate: number, { kind }: Definition): number {
  if (rate === 0) return 0;
  return rate + (containerKinds.has(kind) ? 0.9 : callableKinds.has(kind) ? 0.6 : 0.3);
}
