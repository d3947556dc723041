import { setImmediate } from 'node:timers/promises';
import type { PrecisePlace, PreciseUses, SymbolRequest } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { Differences } from './differences.ts';
import type { IndexStore } from './index-store.ts';
import { calledIn, occurrencesOf } from './names.ts';
import type { NearIndex, NearIndexes } from './near-indexes.ts';
import type { Occurrence } from './scip-format.ts';
import { isInside, isLocal, withoutVersion } from './symbol-name.ts';

/** Files that are looked at for one symbol. */
const maxDocuments = 2000;
/** Names of these files that one request reads: an index of millions holds up nobody. */
const maxOccurrences = 5_000_000;
/** Meanings of one name in one file, and places of one answer. */
const maxMeanings = 20;
const maxPlaces = 100_000;

export interface FinderParts {
  readonly indexes: NearIndexes;
  readonly store: IndexStore;
  readonly differences: Differences;
}

/** A symbol that a name in a file stands for. */
interface Meaning {
  readonly index: NearIndex;
  readonly document: number;
  readonly symbol: string;
  readonly isDefinedHere: boolean;
  /** Uses under the name. `{ name }` uses a variable and defines a property: the first is what one asks for there. */
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
    for (const meaning of await this.#meanings(request)) found = found.concat(await this.#definitionsOf(meaning));
    return found.length > 0 ? unique(found) : undefined;
  }

  async uses(request: SymbolRequest): Promise<PreciseUses | undefined> {
    const all = await this.#meanings(request);
    const own = all.filter(({ isDefinedHere }) => isDefinedHere);
    const shared = own.filter(({ symbol }) => !isInside(symbol));
    const meanings = [shared, own, all.slice(0, 1)].find(({ length }) => length > 0) ?? [];
    if (meanings.length === 0) return undefined;
    let places: PrecisePlace[] = [];
    let isCut = false;
    for (const meaning of meanings) {
      const uses = await this.#usesOf(meaning);
      places = places.concat(uses.places);
      isCut ||= uses.isCut;
    }
    const known = new Set(places.map(keyOf));
    for (const [maker, isCalled] of [
      ...meanings.flatMap(makersOf).map((maker) => [maker, false] as const),
      ...meanings.flatMap(madeBy).map((made) => [made, true] as const),
    ])
      places = places.concat((await this.#usesOf(maker, isCalled)).places.filter((place) => !known.has(keyOf(place))));
    let definitions: PrecisePlace[] = [];
    for (const meaning of meanings) definitions = definitions.concat(await this.#definitionsOf(meaning));
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
    const having = all.filter(({ file }) => file.numberOf(path) !== undefined);
    const maps = await Promise.all(having.map((index) => this.#mapOf(index, path)));
    return (line) => maps.some((map) => map.isKept(line));
  }

  /** What the name means in the file, the most used first. */
  async #meanings({ repo, path, symbol: name, revision, line }: SymbolRequest): Promise<Meaning[]> {
    const revised = { repo, ...(revision !== undefined && { revision }) };
    const found: Meaning[] = [];
    for (const index of await this.#parts.indexes.open(this.#caller, revised, this.#signal)) {
      const document = index.file.numberOf(path);
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
    return found.toSorted((a, b) => b.uses - a.uses).slice(0, maxMeanings);
  }

  async #definitionsOf({ index, document, symbol }: Meaning): Promise<PrecisePlace[]> {
    const isDefinition: Wanted = (occurrence) => occurrence.isDefinition && isSame(occurrence.symbol, symbol);
    if (isLocal(symbol)) return this.#placesIn(index, document, isDefinition);
    for (const indexes of [() => Promise.resolve([index]), () => this.#siblings(index), () => this.#elsewhere(index)]) {
      const having = documentsHaving(await indexes(), symbol).filter(({ isDefinition: isThere }) => isThere);
      const { places } = await this.#placesInAll(having, () => isDefinition);
      if (places.length > 0) return places;
    }
    return [];
  }

  async #usesOf({ index, document, symbol }: Meaning, isCalled = false): Promise<FoundPlaces> {
    const isUse: Wanted = (occurrence) => !occurrence.isDefinition && isSame(occurrence.symbol, symbol);
    if (isLocal(symbol)) return { places: await this.#placesIn(index, document, isUse), isCut: false };
    const indexes = [index, ...(await this.#siblings(index)), ...(await this.#elsewhere(index))];
    return this.#placesInAll(documentsHaving(indexes, symbol), async ({ one, document: number }) => {
      const isCall = isCalled ? await this.#callsIn(one, number) : isUse;
      return (use) => isUse(use) && isCall(use);
    });
  }

  /** Of as many documents as one request may look at. */
  async #placesInAll(
    documents: readonly HavingDocument[],
    wantedIn: (document: HavingDocument) => Wanted | Promise<Wanted>,
  ): Promise<FoundPlaces> {
    const places: PrecisePlace[] = [];
    for (const [looked, document] of documents.entries()) {
      if (looked >= maxDocuments || this.#occurrences > maxOccurrences || places.length > maxPlaces)
        return { places, isCut: true };
      // Others have their turn: each document is read and looked through at once.
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

/** How the symbols of what makes the values of a class end, behind that of the class. */
const makers = ['`<constructor>`().', '__init__().'];

/** Who makes a value of a class uses it, though some indexes name only what is called then. */
const makersOf = (meaning: Meaning): Meaning[] =>
  meaning.symbol.endsWith('#') ? makers.map((name) => ({ ...meaning, symbol: meaning.symbol + name })) : [];

/** The class of which values are made by calling it, where an index names only that. */
const madeBy = (meaning: Meaning): Meaning[] =>
  makers
    .filter((name) => meaning.symbol.endsWith(`#${name}`))
    .map(({ length }) => ({ ...meaning, symbol: meaning.symbol.slice(0, -length) }));

const keyOf = ({ repo, path, line }: PrecisePlace): string => `${repo}\0${path}\0${line}`;

const unique = (places: readonly PrecisePlace[]): PrecisePlace[] => [
  ...new Map(places.map((place) => [keyOf(place), place])).values(),
];

/** The file that was asked about first, then those of its repository, then of others. */
function inOrder(places: readonly PrecisePlace[], { repo, path }: SymbolRequest): PrecisePlace[] {
  const rank = (place: PrecisePlace): number => (place.repo !== repo ? 2 : place.path === path ? 0 : 1);
  return places.toSorted((a, b) => rank(a) - rank(b));
}
