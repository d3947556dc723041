import { setImmediate } from 'node:timers/promises';
import type { PrecisePlace, PreciseUses, SymbolRequest } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { IndexStore } from './index-store.ts';
import type { Differences } from './line-map.ts';
import type { NearIndex, NearIndexes } from './near-indexes.ts';
import { isInside, isLocal, withoutVersion } from './scip-format.ts';
import type { ColumnUnit, Occurrence, ScipDocument } from './scip-format.ts';

/** Files that are looked at for one symbol. */
const maxDocuments = 2000;
/** Most occurrences that one request reads, so that a large index delays nobody. */
const maxOccurrences = 5_000_000;
/** Most senses of one name in one file, and most places of one answer. */
const maxSenses = 20;
const maxPlaces = 100_000;

export interface FinderParts {
  readonly indexes: NearIndexes;
  readonly store: IndexStore;
  readonly differences: Differences;
}

/** A symbol that a name in a file stands for. */
interface Sense {
  readonly index: NearIndex;
  readonly document: number;
  readonly symbol: string;
  readonly isDefinedHere: boolean;
  /** Uses of the symbol in the file. The most used one is probably meant: `{ name }` uses a variable and defines a property. */
  readonly uses: number;
}

interface FoundPlaces {
  readonly places: PrecisePlace[];
  readonly isCut: boolean;
}

type Wanted = (occurrence: Occurrence) => boolean;

/** Answers one request from the indexes that are near. */
export class PreciseFinder {
  readonly #parts: FinderParts;
  readonly #caller: Caller;
  readonly #signal: AbortSignal;
  /** Names that were read so far. */
  #occurrences = 0;

  constructor(parts: FinderParts, caller: Caller, signal: AbortSignal) {
    this.#parts = parts;
    this.#caller = caller;
    this.#signal = signal;
  }

  async definitions(request: SymbolRequest): Promise<PrecisePlace[] | undefined> {
    let found: PrecisePlace[] = [];
    for (const sense of await this.#senses(request)) found = found.concat(await this.#definitionsOf(sense));
    return found.length > 0 ? unique(found) : undefined;
  }

  async uses(request: SymbolRequest): Promise<PreciseUses | undefined> {
    const all = await this.#senses(request);
    const own = all.filter(({ isDefinedHere }) => isDefinedHere);
    const shared = own.filter(({ symbol }) => !isInside(symbol));
    const senses = [shared, own, all.slice(0, 1)].find(({ length }) => length > 0) ?? [];
    if (senses.length === 0) return undefined;
    let places: PrecisePlace[] = [];
    let isCut = false;
    for (const sense of senses) {
      const uses = await this.#usesOf(sense);
      places = places.concat(uses.places);
      isCut ||= uses.isCut;
    }
    const known = new Set(places.map(keyOf));
    for (const [maker, isCalled] of [
      ...senses.flatMap(makersOf).map((maker) => [maker, false] as const),
      ...senses.flatMap(madeBy).map((made) => [made, true] as const),
    ])
      places = places.concat((await this.#usesOf(maker, isCalled)).places.filter((place) => !known.has(keyOf(place))));
    let definitions: PrecisePlace[] = [];
    for (const sense of senses) definitions = definitions.concat(await this.#definitionsOf(sense));
    isCut ||= places.length > maxPlaces;
    const ordered = inOrder(places, request).slice(0, maxPlaces);
    return { places: ordered, isCut, definitions, linesOf: (file) => this.#linesOf(file, request) };
  }

  async #linesOf(
    { repo, path }: Omit<PrecisePlace, 'line'>,
    { repo: own, revision }: SymbolRequest,
  ): Promise<(line: number) => boolean> {
    const { indexes } = this.#parts;
    const all = await (repo === own && revision !== undefined
      ? indexes.open(this.#caller, { repo, revision }, this.#signal)
      : indexes.ofOther(this.#caller, repo, this.#signal));
    const having = all.filter(({ file }) => file.documentOf(path) !== undefined);
    const maps = await Promise.all(having.map((index) => this.#mapOf(index, path)));
    return (line) => maps.some((map) => map.isKept(line));
  }

  /** What the name means in the file, the most used first. */
  async #senses({ repo, path, symbol: name, revision, line }: SymbolRequest): Promise<Sense[]> {
    const revised = { repo, ...(revision !== undefined && { revision }) };
    const found: Sense[] = [];
    for (const index of await this.#parts.indexes.open(this.#caller, revised, this.#signal)) {
      const document = index.file.documentOf(path);
      if (document === undefined) continue;
      const text = await this.#textAt(index, path);
      const map = await this.#mapOf(index, path);
      const here = occurrencesOf(name, this.#read(index, document), text).filter((occurrence) => {
        const moved = map.moved(occurrence.line + 1);
        return moved !== undefined && (line === undefined || line === moved);
      });
      for (const [symbol, group] of Map.groupBy(here, (occurrence) => occurrence.symbol)) {
        const isDefinedHere = group.some(({ isDefinition }) => isDefinition);
        const uses = group.filter(({ isDefinition }) => !isDefinition).length;
        found.push({ index, document, symbol, isDefinedHere, uses });
      }
    }
    return found.toSorted((a, b) => b.uses - a.uses).slice(0, maxSenses);
  }

  async #definitionsOf({ index, document, symbol }: Sense): Promise<PrecisePlace[]> {
    const isDefinition: Wanted = (occurrence) => occurrence.isDefinition && isSame(occurrence.symbol, symbol);
    if (isLocal(symbol)) return this.#placesIn(index, document, isDefinition);
    for (const indexes of [() => Promise.resolve([index]), () => this.#siblings(index), () => this.#elsewhere(index)]) {
      const having = documentsHaving(await indexes(), symbol).filter(({ isDefinition: isThere }) => isThere);
      const { places } = await this.#placesInAll(having, () => isDefinition);
      if (places.length > 0) return places;
    }
    return [];
  }

  async #usesOf({ index, document, symbol }: Sense, isCalled = false): Promise<FoundPlaces> {
    const isUse: Wanted = (occurrence) => !occurrence.isDefinition && isSame(occurrence.symbol, symbol);
    if (isLocal(symbol)) return { places: await this.#placesIn(index, document, isUse), isCut: false };
    const indexes = [index, ...(await this.#siblings(index)), ...(await this.#elsewhere(index))];
    return this.#placesInAll(documentsHaving(indexes, symbol), async ({ one, document: number }) => {
      const isCall = isCalled ? await this.#callsIn(one, number) : isUse;
      return (use) => isUse(use) && isCall(use);
    });
  }

  /** The wanted places of some documents, until a limit is reached. */
  async #placesInAll(
    documents: readonly HavingDocument[],
    wantedIn: (document: HavingDocument) => Wanted | Promise<Wanted>,
  ): Promise<FoundPlaces> {
    const places: PrecisePlace[] = [];
    for (const [looked, document] of documents.entries()) {
      if (looked >= maxDocuments || this.#occurrences > maxOccurrences || places.length > maxPlaces)
        return { places, isCut: true };
      // Other requests take turns here. One document is read without a break.
      await setImmediate();
      this.#signal.throwIfAborted();
      for (const place of await this.#placesIn(document.one, document.document, await wantedIn(document)))
        places.push(place);
    }
    return { places, isCut: false };
  }

  async #callsIn(index: NearIndex, number: number): Promise<Wanted> {
    const document = this.#read(index, number);
    return calledIn(document, await this.#textAt(index, document.path));
  }

  /** The other indexes of the same commit. */
  async #siblings({ at, name }: NearIndex): Promise<NearIndex[]> {
    const revised = { repo: at.repository.info.name, revision: at.commit };
    const all = await this.#parts.indexes.open(this.#caller, revised, this.#signal);
    return all.filter((other) => other.name.file !== name.file);
  }

  #elsewhere({ at }: NearIndex): Promise<NearIndex[]> {
    return this.#parts.indexes.others(this.#caller, at.repository.info.name, this.#signal);
  }

  async #placesIn(index: NearIndex, document: number, isWanted: Wanted): Promise<PrecisePlace[]> {
    const { path, occurrences } = this.#read(index, document);
    const map = await this.#mapOf(index, path);
    return occurrences.filter(isWanted).flatMap((occurrence) => {
      const line = map.moved(occurrence.line + 1);
      return line === undefined ? [] : [{ repo: index.at.repository.info.name, path, line }];
    });
  }

  #read({ name, file }: NearIndex, number: number): ReturnType<IndexStore['document']> {
    const document = this.#parts.store.document(name, file, number);
    this.#occurrences += document.occurrences.length;
    return document;
  }

  #mapOf({ at, name }: NearIndex, path: string): ReturnType<Differences['of']> {
    const span = { repository: at.stored, from: name.commit, to: at.commit };
    return this.#parts.differences.of(span, path, this.#signal);
  }

  /** The text that was indexed; empty where it is no longer there. */
  async #textAt({ at, name }: NearIndex, path: string): Promise<string> {
    try {
      return (await at.repository.readText(name.commit, path, this.#signal)).text;
    } catch (error) {
      if (isSextantError(error) && ['not_found', 'invalid_argument', 'too_large'].includes(error.code)) return '';
      throw error;
    }
  }
}

/** A document that has a symbol, or one of the same hash. */
interface HavingDocument {
  readonly one: NearIndex;
  readonly document: number;
  readonly isDefinition: boolean;
}

const documentsHaving = (indexes: readonly NearIndex[], symbol: string): HavingDocument[] =>
  indexes.flatMap((one) => one.file.having(symbol).map((posting) => ({ one, ...posting })));

const isSame = (a: string, b: string): boolean => a === b || (!isLocal(a) && withoutVersion(a) === withoutVersion(b));

/** The symbol of a class with one of these ends is that of its constructor. */
const makers = ['`<constructor>`().', '__init__().'];

/** The constructors of a class. Making a value uses the class, but some indexes name only the constructor there. */
const makersOf = (sense: Sense): Sense[] =>
  sense.symbol.endsWith('#') ? makers.map((name) => ({ ...sense, symbol: sense.symbol + name })) : [];

/** The class of a constructor. Calling the class uses the constructor, but some indexes name only the class there. */
const madeBy = (sense: Sense): Sense[] =>
  makers
    .filter((name) => sense.symbol.endsWith(`#${name}`))
    .map(({ length }) => ({ ...sense, symbol: sense.symbol.slice(0, -length) }));

const keyOf = ({ repo, path, line }: PrecisePlace): string => `${repo}\0${path}\0${line}`;

const unique = (places: readonly PrecisePlace[]): PrecisePlace[] => [
  ...new Map(places.map((place) => [keyOf(place), place])).values(),
];

/** First the file of the request, then other files of its repository, then other repositories. */
function inOrder(places: readonly PrecisePlace[], { repo, path }: SymbolRequest): PrecisePlace[] {
  const rank = (place: PrecisePlace): number => (place.repo !== repo ? 2 : place.path === path ? 0 : 1);
  return places.toSorted((a, b) => rank(a) - rank(b));
}

/** Characters behind an occurrence that are read to see whether it is called. */
const lengthBehind = 200;

/** The occurrences of a document whose text is a name. It may be in quotes, as keys of objects are. */
function occurrencesOf(name: string, { unit, occurrences }: ScipDocument, text: string): Occurrence[] {
  const lines = new Lines(text, unit);
  const length = lengthIn(unit, name);
  return occurrences.filter(({ line, start, end }) => {
    // Most occurrences are told apart by their length, without a look at the text.
    if (end - start !== length && end - start !== length + 2) return false;
    const written = lines.slice(line, { start, end });
    return written === name || written?.replace(/^(['"`])(.*)\1$/, '$2') === name;
  });
}

/** Whether the arguments of a call begin behind an occurrence. */
function calledIn({ unit }: ScipDocument, text: string): (occurrence: Occurrence) => boolean {
  const lines = new Lines(text, unit);
  return ({ line, end }) => /^\s*\(/.test(lines.slice(line, { start: end, end: end + lengthBehind }) ?? '');
}

function lengthIn(unit: ColumnUnit, text: string): number {
  if (unit === 'utf-8') return Buffer.byteLength(text);
  return unit === 'utf-16' ? text.length : [...text].length;
}

type Slice = (start: number, end: number) => string;

/** Slices the lines of a text by columns of a unit. Each line is prepared once, because a long one may have thousands of occurrences. */
class Lines {
  readonly #lines: readonly string[];
  readonly #unit: ColumnUnit;
  readonly #slices = new Map<number, Slice>();

  constructor(text: string, unit: ColumnUnit) {
    this.#lines = text.split(/\r\n|\n|\r/);
    this.#unit = unit;
  }

  /** Undefined if there is no such line. */
  slice(line: number, { start, end }: { start: number; end: number }): string | undefined {
    const text = this.#lines[line];
    if (text === undefined) return undefined;
    const slice = this.#slices.get(line) ?? slicing(text, this.#unit);
    this.#slices.set(line, slice);
    return slice(start, end);
  }
}

function slicing(line: string, unit: ColumnUnit): Slice {
  // oxlint-disable-next-line no-control-regex -- What is ASCII alone counts the same in all units.
  if (unit === 'utf-16' || /^[\x00-\x7f]*$/.test(line)) return (start, end) => line.slice(start, end);
  if (unit === 'utf-8') {
    const bytes = Buffer.from(line);
    return (start, end) => bytes.subarray(start, end).toString();
  }
  const points = [...line];
  return (start, end) => points.slice(start, end).join('');
}
