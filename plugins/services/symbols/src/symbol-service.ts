import type {
  FoundSymbols,
  Outline,
  OutlineRequest,
  PreciseIndex,
  PreciseUses,
  ReferenceAnswer,
  SoughtElsewhere,
  SymbolAnswer,
  SymbolQuery,
  SymbolRequest,
  Symbols,
} from '@sextant/contracts';
import { SextantError, fromOneLine } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { Patterns } from '@sextant/library-block-index';
import { symbolSearch } from './limits.ts';
import { outlineOf } from './answers/outline.ts';
import { inOrder, placesBeside, preciseDefinitions, preciseUses, targetsBeside } from './answers/precise.ts';
import type { PreciseCall } from './answers/precise.ts';
import { definitionShown, symbolFiles, useShown } from './answers/symbol-file.ts';
import { likelyDefinitions, linesWith, outsideUses } from './answers/text-lines.ts';
import { otherLines, refuseAbsentName, refuseAbsentWord } from './answers/why-nothing.ts';
import { Candidates } from './candidates/candidates.ts';
import type { CandidateSources } from './candidates/candidates.ts';
import { TextCandidates } from './candidates/text-candidates.ts';
import type { Definition, FileSymbols } from './parse/file-symbols.ts';
import { DefinitionFinder } from './resolution/definition-finder.ts';
import type { Meaning, Question } from './resolution/definition-finder.ts';
import { findUses } from './resolution/reference-finder.ts';
import type { AllUses } from './resolution/reference-finder.ts';
import type { SourceFile } from './snapshot/source-file.ts';
import { namesSomething } from './search/symbol-query.ts';
import { SymbolSearch } from './search/symbol-search.ts';
import { Snapshots } from './snapshot/snapshot.ts';
import type { Snapshot, SnapshotSources } from './snapshot/snapshot.ts';

export interface SymbolSources extends SnapshotSources, CandidateSources {
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
    const answer = await this.#definition(caller, call, call.request);
    return { ...answer, ...callNotes(call), ...soughtFor(request, call) };
  }

  async #definition(caller: Caller, call: Begun, request: SymbolRequest): Promise<SymbolAnswer> {
    const { signal } = call.snapshots;
    const places = await this.#sources.precise?.findDefinition(caller, request, signal);
    const precise = places ? await preciseDefinitions({ ...call, ...request }, places) : [];
    if (precise.length > 0) return { files: precise, precision: 'precise' };
    const { file, definitions } = call;
    if (!file) return { files: await likelyDefinitions(call, request.symbol), precision: 'text' };
    const { targets, isByNameOnly, outside } = await definitions.find(questionIn(call, file));
    if (outside) return { files: await outsideUses(call, request.path, request.symbol), precision: 'text', outside };
    if (targets.length === 0) return { files: await likelyDefinitions(call, request.symbol), precision: 'text' };
    const shown = targets.map((target) => definitionShown(target, target.definition));
    return { files: await symbolFiles(shown), precision: 'syntactic', ...(isByNameOnly && { isByNameOnly }) };
  }

  async findReferences(
    caller: Caller,
    request: SymbolRequest & { limit: number },
    signal: AbortSignal,
  ): Promise<ReferenceAnswer> {
    const call = await this.#begin(caller, request, signal);
    const { limit } = request;
    const answer = await this.#references(caller, call, { ...call.request, limit });
    return { ...answer, ...callNotes(call, answer.notes), ...soughtFor(request, call) };
  }

  async #references(caller: Caller, call: Begun, request: SymbolRequest & { limit: number }): Promise<ReferenceAnswer> {
    const { signal } = call.snapshots;
    const precise = await this.#sources.precise?.findReferences(caller, request, signal);
    const meaning = call.file ? await call.definitions.findOwn(questionIn(call, call.file)) : nothing;
    const { targets, isByNameOnly, outside } = meaning;
    const beside = precise && (await targetsBeside(precise, targets));
    if (targets.length === 0 && !precise)
      return {
        ...(await linesWith(call, request.symbol, request.limit)),
        precision: 'text',
        ...(outside && { outside }),
      };
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
    const within = namesSomething(query) ? answerMs : Math.min(answerMs, symbolSearch.anyNameMs);
    const snapshots = new Snapshots({ ...this.#sources, answerMs: within }, caller, signal);
    const text = new TextCandidates(this.#sources.search, snapshots);
    return new SymbolSearch({ snapshots, text, patterns: this.#patterns }).find(query);
  }

  async outline(
    caller: Caller,
    { repo, path, revision, parts }: OutlineRequest,
    signal: AbortSignal,
  ): Promise<Outline> {
    signal.throwIfAborted();
    const snapshots = new Snapshots(this.#sources, caller, signal);
    const snapshot = await snapshots.open(repo, revision);
    const symbols = await snapshot.symbols(path);
    // Reading says what is wrong with a path that is no file.
    const text = await snapshot.readText(path);
    const definitions = symbols?.definitions ?? [];
    const wanted = parts ? definitions.filter((definition) => overlaps(definition, parts)) : definitions;
    const outline = await outlineOf(wanted, text, () => snapshots.share());
    return { ...outline, ...notesOf(snapshots.notes) };
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
    const candidates = new Candidates(this.#sources, snapshots);
    const definitions = new DefinitionFinder(candidates);
    const parts = { snapshot, snapshots, candidates, definitions, owner };
    if (!language || !symbols) {
      refuseAbsentWord({ path, text, symbol });
      return { ...parts, request: { ...asked, path, symbol }, file: undefined, lineNote: [] };
    }
    const file = { snapshot, path, language, symbols };
    await refuseAbsentName(candidates, file, { symbol, owner });
    const line = isInLine(symbols, symbol, asked.line) ? asked.line : undefined;
    return {
      ...parts,
      request: { repo, path, symbol, ...(revision !== undefined && { revision }), ...(line !== undefined && { line }) },
      file,
      lineNote:
        line === asked.line
          ? []
          : [`Line ${asked.line} does not have "${symbol}"; any use of it in the file was taken.`],
    };
  }
}

const notesOf = (notes: readonly string[]): { notes?: readonly string[] } => (notes.length > 0 ? { notes } : {});

const callNotes = ({ snapshots, lineNote }: Begun, said: readonly string[] = []): { notes?: readonly string[] } =>
  notesOf([...lineNote, ...said, ...snapshots.notes]);

function soughtFor({ isPart }: SymbolRequest, { candidates }: Begun): Pick<SymbolAnswer, 'sought'> {
  return isPart && candidates.sought.length > 0 ? { sought: unique(candidates.sought) } : {};
}

/** Many files ask for the same. */
const unique = (sought: readonly SoughtElsewhere[]): SoughtElsewhere[] => [
  ...new Map(sought.map((one) => [JSON.stringify(one), one])).values(),
];

/** Whether a name stands in a line of a file. */
const isInLine = (symbols: FileSymbols, name: string, line: number | undefined): boolean =>
  [...symbols.usesOf(name), ...symbols.definitionsOf(name)].some((one) => one.line === line);

const questionIn = ({ request: { symbol: name, line }, owner }: Begun, file: SourceFile): Question => {
  return { file, name, line, owner };
};

const nothing: Meaning = { targets: [], isByNameOnly: false };

/** The parts that answer one request. `file` is undefined if its syntax is not known. */
interface Begun {
  /** With the file's own path, the simple name, and a line that has it. */
  readonly request: SymbolRequest;
  /** The type or namespace that is written before the name. */
  readonly owner: string | undefined;
  readonly lineNote: readonly string[];
  readonly snapshot: Snapshot;
  readonly snapshots: Snapshots;
  readonly candidates: Candidates;
  readonly definitions: DefinitionFinder;
  readonly file: SourceFile | undefined;
}

async function syntacticAnswer(
  { files, isCut }: AllUses,
  { limit, isLate }: { limit: number; isLate: boolean },
): Promise<ReferenceAnswer> {
  const shown = files.flatMap(({ file, uses }) => uses.map(({ line, role }) => useShown(file, line, role)));
  const totalCount = shown.length;
  return {
    files: await symbolFiles(shown.slice(0, limit)),
    precision: 'syntactic',
    totalCount,
    limitHit: isCut || isLate || totalCount > limit,
  };
}

const overlaps = ({ line, endLine }: Definition, parts: NonNullable<OutlineRequest['parts']>): boolean =>
  parts.some((part) => line <= part.endLine && part.startLine <= endLine);

const longestName = 200;

/** Between a name and what it belongs to. */
const separators = /::|->|\.|#(?=.)/;

/** Throws `invalid_argument` for what cannot be a name in any language: spaces, nothing, very long. */
function nameIn(text: string): { readonly symbol: string; readonly owner: string | undefined } {
  if (text.length > longestName)
    throw new SextantError('invalid_argument', `symbol: at most ${longestName} characters; found ${text.length}`);
  // Some languages write keywords that are names in backticks.
  const [symbol = '', owner] = text.replaceAll('`', '').split(separators).toReversed();
  if (/^[@$#]?[\p{L}\p{N}_$-]+[?!]?$/u.test(symbol) && (owner === undefined || owner !== '')) return { symbol, owner };
  throw new SextantError(
    'invalid_argument',
    `symbol: a simple name such as parseConfig, or one behind its type as in Store.load, is wanted; found "${text}".`,
  );
}
