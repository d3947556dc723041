import type {
  FoundFile,
  FoundSymbols,
  Language,
  Outline,
  PreciseIndex,
  PreciseUses,
  ReferenceAnswer,
  Search,
  SymbolAnswer,
  SymbolFile,
  SymbolQuery,
  SymbolRequest,
  Symbols,
} from '@sextant/contracts';
import { SextantError, didYouMean, fromOneLine, oneLine } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { outlineOf } from './answers/outline.ts';
import { inOrder, placesBeside, preciseDefinitions, preciseUses, targetsBeside } from './answers/precise.ts';
import type { PreciseCall } from './answers/precise.ts';
import { definitionShown, symbolFile, useShown } from './answers/symbol-file.ts';
import { Candidates } from './candidates/candidates.ts';
import type { Candidate, CandidateSources } from './candidates/candidates.ts';
import { TextCandidates } from './candidates/text-candidates.ts';
import { escaped } from './paths.ts';
import { DefinitionFinder } from './resolution/definition-finder.ts';
import { findUses } from './resolution/reference-finder.ts';
import type { AllUses, FoundUses } from './resolution/reference-finder.ts';
import type { Meaning } from './resolution/definition-finder.ts';
import type { FileSymbols } from './parse/file-symbols.ts';
import type { SourceFile, Target } from './resolution/target.ts';
import { Patterns } from '@sextant/library-block-index';
import { namesSomething } from './search/symbol-query.ts';
import { SymbolSearch } from './search/symbol-search.ts';
import { Snapshots } from './snapshot/snapshot.ts';
import type { Snapshot, SnapshotSources } from './snapshot/snapshot.ts';

interface SymbolSources extends SnapshotSources, CandidateSources {
  readonly search: Search;
  /** Undefined where no plugin has indexes of compilers. */
  readonly precise: PreciseIndex | undefined;
}

/**
 * Answers from an index of a compiler if it knows the name. Otherwise from the syntax of files, which are parsed on
 * demand, or from their text if no grammar knows them.
 */
export class SymbolService implements Symbols {
  readonly #sources: SymbolSources;
  readonly #patterns = new Patterns();

  constructor(sources: SymbolSources) {
    this.#sources = sources;
  }

  async findDefinition(caller: Caller, request: SymbolRequest, signal: AbortSignal): Promise<SymbolAnswer> {
    const call = await this.#begin(caller, request, signal);
    return { ...(await this.#definition(caller, call, call.request)), ...notesOf(call) };
  }

  async #definition(caller: Caller, call: Begun, request: SymbolRequest): Promise<SymbolAnswer> {
    const { signal } = call.snapshots;
    const places = await this.#sources.precise?.findDefinition(caller, request, signal);
    const precise = places ? await preciseDefinitions({ ...call, ...request }, places) : [];
    if (precise.length > 0) return { files: precise, precision: 'precise' };
    const { file, definitions } = call;
    if (!file) return { files: await likelyDefinitions(call, request.symbol), precision: 'text' };
    const { targets, isByNameOnly, outside } = await definitions.find({ ...call.question, file });
    if (outside) return { files: await outsideUses(call, request.symbol), precision: 'text', outside };
    if (targets.length === 0) return { files: await likelyDefinitions(call, request.symbol), precision: 'text' };
    return { files: await filesOf(targets), precision: 'syntactic', ...(isByNameOnly && { isByNameOnly }) };
  }

  async findReferences(
    caller: Caller,
    request: SymbolRequest & { limit: number },
    signal: AbortSignal,
  ): Promise<ReferenceAnswer> {
    const call = await this.#begin(caller, request, signal);
    const { limit } = request;
    const answer = await this.#references(caller, call, { ...call.request, limit });
    return { ...answer, ...notesOf(call, answer.notes) };
  }

  async #references(caller: Caller, call: Begun, request: SymbolRequest & { limit: number }): Promise<ReferenceAnswer> {
    const { signal } = call.snapshots;
    const precise = await this.#sources.precise?.findReferences(caller, request, signal);
    const meaning = call.file ? await call.definitions.findOwn({ ...call.question, file: call.file }) : nothing;
    const { targets, isByNameOnly, outside } = meaning;
    const beside = precise && (await targetsBeside(precise, targets));
    if (targets.length === 0 && !precise)
      return { ...(await this.#textual(call, request)), precision: 'text', ...(outside && { outside }) };
    const { candidates, definitions, snapshots } = call;
    const { limit } = request;
    const found = await findUses({ candidates, definitions, snapshots, limit }, beside ?? targets);
    if (precise && beside) return this.#together({ ...call, ...request }, precise, found);
    const answer = await syntacticAnswer(found, { limit, isLate: snapshots.isLate });
    const others = answer.totalCount === 0 ? await otherLines(call, targets) : undefined;
    return { ...answer, ...(isByNameOnly && { isByNameOnly }), ...(others && { notes: [others] }) };
  }

  /** What an index says, and what syntax says of lines that the index has not seen. */
  async #together(
    call: PreciseCall & SymbolRequest & { limit: number },
    precise: PreciseUses,
    found: AllUses,
  ): Promise<ReferenceAnswer> {
    const { limit } = call;
    const places = inOrder([...precise.places, ...(await placesBeside(precise, found.files))], call);
    return {
      files: await preciseUses(call, places.slice(0, limit)),
      precision: 'precise',
      totalCount: places.length,
      limitHit: precise.isCut || found.isCut || call.snapshots.isLate || places.length > limit,
    };
  }

  search(caller: Caller, query: SymbolQuery, signal: AbortSignal): Promise<FoundSymbols> {
    const { answerMs } = this.#sources;
    const within = namesSomething(query) ? answerMs : Math.min(answerMs, anyNameMs);
    const snapshots = new Snapshots({ ...this.#sources, answerMs: within }, caller, signal);
    const text = new TextCandidates(this.#sources.search, snapshots);
    return new SymbolSearch({ snapshots, text, patterns: this.#patterns }).find(query);
  }

  async outline(
    caller: Caller,
    { repo, path, revision }: Omit<SymbolRequest, 'symbol'>,
    signal: AbortSignal,
  ): Promise<Outline> {
    signal.throwIfAborted();
    const snapshots = new Snapshots(this.#sources, caller, signal);
    const snapshot = await snapshots.open(repo, revision);
    const symbols = await snapshot.symbols(path);
    // Reading says what is wrong with a path that is no file.
    const text = await snapshot.readText(path);
    return outlineOf(symbols?.definitions ?? [], text, () => snapshots.share());
  }

  async #begin(caller: Caller, asked: SymbolRequest, signal: AbortSignal): Promise<Begun> {
    signal.throwIfAborted();
    const { repo, path: given, revision } = asked;
    const { symbol, owner } = nameIn(asked.symbol);
    const snapshots = new Snapshots(this.#sources, caller, signal);
    const snapshot = await snapshots.open(repo, revision);
    const path = snapshot.has(given) ? given : fromOneLine(given);
    const text = await snapshot.readText(path);
    const language = snapshot.languages.of(path);
    const symbols = await snapshot.symbols(path);
    const textual = new TextCandidates(this.#sources.search, snapshots);
    const candidates = new Candidates(this.#sources, textual, snapshots);
    const definitions = new DefinitionFinder(candidates);
    const parts = { snapshot, snapshots, candidates, definitions };
    const request = { ...asked, path, symbol };
    if (!language || !symbols) {
      const names = text.slice(0, 100_000).match(/[\p{L}_]\w+/gu) ?? [];
      if (!hasWord(text, symbol)) throw absentName({ symbol, path, names });
      return { ...parts, request, file: undefined, question: { name: symbol }, lineNote: [] };
    }
    const locals = symbols.imports.map(({ local }) => local);
    const has = (name: string | undefined): boolean =>
      name !== undefined && (symbols.has(name) || locals.includes(name));
    if (!has(symbol) && !has(owner)) {
      const definedIn = await filesDefining(candidates, { snapshot, path, symbol, language });
      throw absentName({ symbol, path, names: [...symbols.names, ...locals] }, definedIn);
    }
    const line = isInLine(symbols, symbol, asked.line) ? asked.line : undefined;
    return {
      ...parts,
      request: { repo, path, symbol, ...(revision !== undefined && { revision }), ...(line !== undefined && { line }) },
      file: { snapshot, path, language, symbols },
      question: { name: symbol, line, owner },
      lineNote:
        line === asked.line
          ? []
          : [`Line ${asked.line} does not have "${symbol}"; any use of it in the file was taken.`],
    };
  }

  /** Every line with the word, in the repository. */
  async #textual(
    { snapshot, candidates }: Begun,
    { symbol, limit }: SymbolRequest & { limit: number },
  ): Promise<{ files: SymbolFile[]; totalCount: number; limitHit: boolean }> {
    const { files, matchCount, limitHit } = await candidates.text.lines(snapshot, symbol, { limit, isNamed: false });
    return { files: textMatches(inOrderOfLines(files), snapshot), totalCount: matchCount, limitHit };
  }
}

function notesOf({ snapshots, lineNote }: Begun, said: readonly string[] = []): { notes?: readonly string[] } {
  const notes = [...lineNote, ...said, ...snapshots.notes];
  return notes.length > 0 ? { notes } : {};
}

/**
 * How sure it is that a name has no uses: how many other lines of the repository have it. Undefined where there are none,
 * and for a local name, which lines elsewhere cannot mean.
 */
async function otherLines({ snapshot, candidates }: Begun, targets: readonly Target[]): Promise<string | undefined> {
  const [target] = targets;
  if (!target || targets.every(({ definition: { scope } }) => scope)) return undefined;
  const { name } = target.definition;
  const { matchCount, limitHit } = await candidates.text.lines(snapshot, name, { limit: mostLikely, isNamed: false });
  const own = targets.filter((one) => one.snapshot.repo === snapshot.repo && one.definition.name === name);
  const count = matchCount - new Set(own.map(({ path, definition: { line } }) => `${path}\0${line}`)).size;
  if (count <= 0) return undefined;
  const least = limitHit ? 'At least ' : '';
  return count === 1
    ? `${least}1 other line of the repository has the name and was not followed to it; keyword_search finds it.`
    : `${least}${count} other lines of the repository have the name and were not followed to it; keyword_search finds them.`;
}

/** Whether a name stands in a line of a file. */
const isInLine = (symbols: FileSymbols, name: string, line: number | undefined): boolean =>
  [...symbols.usesOf(name), ...symbols.definitionsOf(name)].some((one) => one.line === line);

const nothing: Meaning = { targets: [], isByNameOnly: false };

/** Most uses shown of what is defined outside. */
const mostOutside = 3;

/** A few lines with a name, those of the file first. */
async function outsideUses({ snapshot, candidates, request: { path } }: Begun, symbol: string): Promise<SymbolFile[]> {
  const { files } = await candidates.text.lines(snapshot, symbol, { limit: mostLikely, isNamed: false });
  const shown: SymbolFile[] = [];
  let left = mostOutside;
  for (const file of files.toSorted((a, b) => Number(b.path === path) - Number(a.path === path))) {
    const chunks = file.chunks.slice(0, left);
    left -= chunks.length;
    if (chunks.length > 0) shown.push(...textMatches([{ ...file, chunks }], snapshot));
  }
  return shown;
}

/** Milliseconds of a search for symbols of any name, which looks at whatever files come first. */
const anyNameMs = 3000;

/** Most files shown that may define a name. */
const mostLikely = 10;

/** Lines with a name whose definition is not found by syntax. Lines that look like its definition come first. */
async function likelyDefinitions({ snapshot, candidates, file }: Begun, symbol: string): Promise<SymbolFile[]> {
  // If a grammar knows the file, the definition is elsewhere, and names of files are no hint.
  const isNamed = file === undefined;
  const { files } = await candidates.text.lines(snapshot, symbol, { limit: mostLikely, isNamed });
  return textMatches(files, snapshot);
}

/** The parts that answer one request. `file` is undefined if its syntax is not known. */
interface Begun {
  /** With the file's own path, the simple name, and a line that has it. */
  readonly request: SymbolRequest;
  readonly question: { readonly name: string; readonly line?: number | undefined; readonly owner?: string | undefined };
  readonly lineNote: readonly string[];
  readonly snapshot: Snapshot;
  readonly snapshots: Snapshots;
  readonly candidates: Candidates;
  readonly definitions: DefinitionFinder;
  readonly file: SourceFile | undefined;
}

/** The files of definitions in the order of the likeliest in each. */
async function filesOf(targets: readonly Target[]): Promise<SymbolFile[]> {
  const byFile = Map.groupBy(targets, ({ snapshot, path }) => `${snapshot.repo}\0${path}`);
  const files = await Promise.all(
    [...byFile.values()].flatMap((group) => {
      const [first] = group;
      if (!first) return [];
      const shown = group.map(({ definition }) => {
        const { line, kind, container } = definition;
        return definitionShown({ line, kind, ...(container !== undefined && { container }) }, definition);
      });
      return [symbolFile(first.snapshot, first.path, shown)];
    }),
  );
  return files.flat();
}

async function syntacticAnswer(
  { files, isCut }: AllUses,
  { limit, isLate }: { limit: number; isLate: boolean },
): Promise<ReferenceAnswer> {
  const totalCount = files.reduce((sum, { uses }) => sum + uses.length, 0);
  return {
    files: await shownUses(files, limit),
    precision: 'syntactic',
    totalCount,
    limitHit: isCut || isLate || totalCount > limit,
  };
}

async function shownUses(files: readonly FoundUses[], limit: number): Promise<SymbolFile[]> {
  let left = limit;
  const shown: Promise<SymbolFile[]>[] = [];
  for (const { file, uses } of files) {
    if (left === 0) break;
    const some = uses.slice(0, left).map(({ line, role }) => useShown({ line, kind: role }));
    left -= some.length;
    shown.push(symbolFile(file.snapshot, file.path, some));
  }
  return (await Promise.all(shown)).flat();
}

interface AbsentName {
  readonly symbol: string;
  readonly path: string;
  /** Those that the file has. */
  readonly names: readonly string[];
}

/** Most files that an error names as defining the symbol, nearest first. */
const filesLookedAt = 3;

/** The error for a name that a file lacks. It names files that define it, or else similar names of the file. */
function absentName({ symbol, path, names }: AbsentName, definedIn: readonly string[] = []): SextantError {
  const files = new Intl.ListFormat('en').format(definedIn);
  const hint = files === '' ? didYouMean(symbol, [...new Set(names)]) : ` It is defined in ${files}.`;
  return new SextantError('not_found', oneLine(`${path} has no symbol "${symbol}".${hint}`));
}

/** Files of the repository that define a name outside of functions, those that lie nearest to a path. */
async function filesDefining(
  candidates: Candidates,
  { snapshot, path, symbol, language }: { snapshot: Snapshot; path: string; symbol: string; language: Language },
): Promise<string[]> {
  const where = { name: symbol, role: 'definition', language, limit: filesLookedAt } as const;
  const { files } = await candidates.inSnapshot(snapshot, path, where);
  const isDefined = await Promise.all(files.map((file) => defines(file, symbol)));
  return files.filter((_, index) => isDefined[index]).map((file) => file.path);
}

async function defines({ snapshot, path }: Candidate, symbol: string): Promise<boolean> {
  const symbols = await snapshot.symbols(path);
  return symbols?.definitionsOf(symbol).some(({ scope }) => scope === undefined) ?? false;
}

const longestName = 200;

/** Between a name and what it belongs to. */
const separators = /::|->|\.|#(?=.)/;

/** Throws `invalid_argument` for what cannot be a name in any language: spaces, nothing, very long. */
function nameIn(text: string): { readonly symbol: string; readonly owner: string | undefined } {
  if (text.length > longestName)
    throw new SextantError('invalid_argument', `symbol: at most ${longestName} characters; found ${text.length}`);
  const [symbol = '', owner] = text.split(separators).toReversed();
  if (/^[@$#]?[\p{L}\p{N}_$-]+[?!]?$/u.test(symbol) && (owner === undefined || owner !== '')) return { symbol, owner };
  throw new SextantError(
    'invalid_argument',
    `symbol: a simple name such as parseConfig, or one behind its type as in Store.load, is wanted; found "${text}".`,
  );
}

/** Whether a text has a name that is no part of a longer one. */
const hasWord = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(name)}(?![\\p{L}\\p{N}_])`, 'u').test(text);

/** The lines of each file as they follow each other. */
const inOrderOfLines = (files: readonly FoundFile[]): FoundFile[] =>
  files.map((file) => ({ ...file, chunks: file.chunks.toSorted((a, b) => a.startLine - b.startLine) }));

/** What a search for the word found. */
const textMatches = (files: readonly FoundFile[], { repo, revision }: Snapshot): SymbolFile[] =>
  files.map(({ path, chunks }) => ({
    repo,
    path,
    ...(revision !== undefined && { revision }),
    chunks,
    places: [],
  }));
