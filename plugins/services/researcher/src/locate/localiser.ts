import { identifierParts, pathClass, stem } from '@sextant/library-ranking';
import { isSextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { innermostAround, qualifiedName, tellingPlaces } from '@sextant/contracts';
import type { OutlineEntry, Repositories, Symbols } from '@sextant/contracts';
import type { FoundPlace } from '@sextant/contracts/nodes';
import type { ChosenSymbol } from '../answer/symbols.ts';
import { followNames } from './follow.ts';
import { rankFiles } from './rank-files.ts';
import type { RankedFiles, Sources } from './rank-files.ts';
import type { WordWeights } from '../ranking/signals.ts';
import type { ReadTask } from '../task/read-task.ts';
import type { ChosenRange, RankedFile } from '../threads/research-steps.ts';
import type { Work } from '../work.ts';

/** One commit of a repository that its caller has opened. */
export interface Snapshot {
  readonly caller: Caller;
  readonly repo: string;
  /** As asked for. */
  readonly revision: string | undefined;
  readonly commit: string;
}

export interface LocaliserParts extends Sources {
  readonly repositories: Repositories;
  /** Absent: ranges begin anywhere. */
  readonly symbols: Symbols | undefined;
}

export interface Asked {
  readonly read: ReadTask;
  readonly work: Work;
}

export interface Commitish {
  readonly repo: string;
  /** Undefined: the default branch. */
  readonly revision: string | undefined;
}

/** How many ranges each of the best files gets; as many files are answered with. Measured: see docs/benchmarks.md. */
const rangesOfRank = [3, 3, 2, 2, 1, 1, 1, 1, 1, 1];

/** Files whose definitions are compared for a question. */
const filesWithSymbols = 16;
const enoughSymbols = 3;

/** Finds the places of a task in one commit of one repository. */
export class Localiser {
  readonly #parts: LocaliserParts;

  constructor(parts: LocaliserParts) {
    this.#parts = parts;
  }

  /** Throws `not_found` for a repository or revision that is not there for the caller. */
  async open(caller: Caller, { repo, revision }: Commitish, signal: AbortSignal): Promise<Snapshot> {
    const repository = await this.#parts.repositories.open(caller, repo);
    const commit = await repository.resolve(revision, signal);
    const { name } = repository.info;
    return { caller, repo: name, revision, commit };
  }

  /** The likeliest file first. */
  async find(snapshot: Snapshot, asked: Asked): Promise<FoundPlace[]> {
    return this.#places(snapshot, await rankFiles(this.#parts, snapshot, asked), asked);
  }

  /** Definitions that say most of a question, the best first; where too few do, parts of files follow. */
  async explain(snapshot: Snapshot, asked: Asked): Promise<FoundPlace[]> {
    const ranking = await rankFiles(this.#parts, snapshot, asked);
    const symbols = await this.#symbols(snapshot, ranking, asked);
    if (symbols.length >= enoughSymbols) return symbols;
    const known = new Set(symbols.map(({ path }) => path));
    for (const place of await this.#places(snapshot, ranking, asked)) {
      // The first part of a file is its best.
      if (!known.has(place.path)) symbols.push(place);
      known.add(place.path);
    }
    return symbols;
  }

  async #symbols(snapshot: Snapshot, { files, evidence, weights }: RankedFiles, asked: Asked): Promise<FoundPlace[]> {
    const { read, work } = asked;
    const compared = files
      .filter(({ path, score }) => score > 0 && evidence.texts.has(path) && isCode(path, read))
      .slice(0, filesWithSymbols);
    work.step(`comparing what ${compared.length} files define`);
    const outlines = await Promise.all(compared.map(({ path }) => this.#outline(snapshot, path, work)));
    const requests = compared.map(({ path, score }, i) => ({
      text: evidence.texts.get(path) ?? '',
      outline: outlines[i] ?? [],
      score,
    }));
    const asking = { caller: snapshot.caller, signal: work.signal };
    const own = withoutName(snapshot.repo, read, weights);
    const chosen = await this.#parts.threads.symbols({ read, weights: own, files: requests }, asking);
    return chosen.flatMap((symbol) => {
      const file = compared[symbol.file];
      return file ? [definitionPlace(symbol, file, snapshot)] : [];
    });
  }

  async #places(snapshot: Snapshot, ranking: RankedFiles, asked: Asked): Promise<FoundPlace[]> {
    const files = ranking.files.slice(0, rangesOfRank.length).filter(({ score }) => score > 0);
    asked.work.step(`choosing lines of ${files.length} files`);
    const outlines = await Promise.all(files.map(({ path }) => this.#outline(snapshot, path, asked.work)));
    const ranges = await this.#ranges(snapshot, { files, outlines, ranking, asked });
    const places = files.flatMap((file, rank) =>
      placesOf(file, snapshot, { ranges: ranges[rank] ?? [], outline: outlines[rank] ?? [] }),
    );
    const { symbols } = this.#parts;
    const known = new Set(files.map(({ path }) => path));
    const followable = { files: ranking.files, vocabulary: { names: asked.read.identifiers } };
    const followed = symbols
      ? await followNames(symbols, { snapshot, ranking: followable, known, work: asked.work })
      : [];
    return [...places, ...followed];
  }

  /** Of each file the parts that say most; a file without a text has none. */
  #ranges(
    { caller }: Snapshot,
    { files, outlines, ranking, asked }: Choice,
  ): Promise<readonly (readonly ChosenRange[])[]> {
    const { evidence, weights } = ranking;
    const chosen = files.map(({ path }, rank) => ({
      text: evidence.texts.get(path),
      pointed: [...(evidence.mentioned.get(path)?.lines ?? []), ...(evidence.found.phraseLines.get(path) ?? [])],
      outline: (outlines[rank] ?? []).map(({ line, endLine }) => ({ line, endLine })),
      most: rangesOfRank[rank] ?? 1,
    }));
    const withText = chosen.map(({ text, most, ...file }) => ({
      ...file,
      text: text ?? '',
      most: text === undefined ? 0 : most,
    }));
    const { signal } = asked.work;
    return this.#parts.threads.ranges({ read: asked.read, weights, files: withText }, { caller, signal });
  }

  async #outline({ caller, repo, commit }: Snapshot, path: string, work: Work): Promise<readonly OutlineEntry[]> {
    const { symbols } = this.#parts;
    if (!symbols) return [];
    try {
      const outline = await work.call((signal) => symbols.outline(caller, { repo, path, revision: commit }, signal));
      return outline?.definitions ?? [];
    } catch (error) {
      // Ranges do without it: its language is not known, or the file cannot be parsed.
      if (isSextantError(error) && error.code !== 'canceled') return [];
      throw error;
    }
  }
}

/** The best files, and what is known of them. */
interface Choice {
  readonly files: readonly RankedFile[];
  readonly outlines: readonly (readonly OutlineEntry[])[];
  readonly ranking: RankedFiles;
  readonly asked: Asked;
}

/** Tests, documents and examples show how code is used. They are compared where the question asks for them. */
function isCode(path: string, { wanted }: ReadTask): boolean {
  const kind = pathClass(path);
  return kind === 'source' || kind === 'declaration' || wanted.has(kind);
}

/** Words of a repository's own name tell little of its parts, even if not all of its files have them. */
const shareOfOwnName = 0.25;

function withoutName(repo: string, { words }: ReadTask, weights: WordWeights): WordWeights {
  const own = new Set(identifierParts(repo.split('/').at(-1) ?? '').map(stem));
  return weights.map((weight, word) => weight * (own.has(words[word]?.stem ?? '') ? shareOfOwnName : 1));
}

function definitionPlace(symbol: ChosenSymbol, { path, score }: RankedFile, snapshot: Snapshot): FoundPlace {
  const { repo, revision, commit } = snapshot;
  const { startLine, endLine, lines, best, kind, name, container, docs } = symbol;
  const within = container === undefined ? name : `${container}.${name}`;
  const headline = { kind, ...(docs !== undefined && { docs: firstSentence(docs) }) };
  const source = { repo, path, commit, ...(revision !== undefined && { revision }), startLine, endLine };
  return { ...source, score, reason: reasonOf(symbol), within, headline, lines, best };
}

/** Of the first line of a documentation, which may end within a sentence. */
const firstSentence = (docs: string): string =>
  /^.{10,}?[.!?](?=\s)/.exec(docs)?.[0] ?? (/[.!?:]$/.test(docs) ? docs : `${docs} …`);

/** Words of a question that a reason lists. */
const mostListed = 4;

function reasonOf({ said }: ChosenSymbol): string {
  const places = { name: 'name', docs: 'comment', code: 'code' } as const;
  const parts = (['name', 'docs', 'code'] as const)
    .filter((place) => said[place].length > 0)
    .map(
      (place) =>
        `${places[place]} says ${said[place]
          .slice(0, mostListed)
          .map((word) => `“${word}”`)
          .join(', ')}`,
    );
  return `its ${parts.join('; its ')}`;
}

function placesOf(
  { path, score, reason }: RankedFile,
  snapshot: Snapshot,
  { ranges, outline }: { ranges: readonly ChosenRange[]; outline: readonly OutlineEntry[] },
): FoundPlace[] {
  const { repo, revision, commit } = snapshot;
  const source = { repo, path, commit, ...(revision !== undefined && { revision }), score, reason };
  if (ranges.length === 0) return [{ ...source, startLine: 1, endLine: 1, lines: [], best: [] }];
  return ranges.map(({ startLine, endLine, best, lines }) => {
    const within = nameAround(best[0] ?? startLine, outline);
    return { ...source, startLine, endLine, best, lines, ...(within !== undefined && { within }) };
  });
}

/** The innermost definition around a line. */
function nameAround(line: number, outline: readonly OutlineEntry[]): string | undefined {
  const innermost = innermostAround(line, tellingPlaces(outline));
  return innermost && qualifiedName(innermost);
}
