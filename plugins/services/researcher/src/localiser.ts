import { isSextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { OutlineEntry, Repositories, ResearchLocation, Symbols } from '@sextant/contracts';
import { followNames } from './follow.ts';
import { rankFiles } from './locate.ts';
import type { Sources } from './locate.ts';
import { rangesOf } from './ranges.ts';
import type { LineRange } from './ranges.ts';
import type { RankedFile, Ranking } from './ranking/rank.ts';
import { reasonOf } from './reasons.ts';
import type { Snapshot } from './repository/snapshot.ts';
import type { Trees } from './repository/trees.ts';
import type { ReadTask } from './task/read-task.ts';
import type { Work } from './work.ts';

export interface LocaliserParts extends Sources {
  readonly repositories: Repositories;
  readonly trees: Trees;
  /** Absent: ranges begin anywhere. */
  readonly symbols: Symbols | undefined;
}

/** A location with its text and the lines that say most. */
export interface Place extends ResearchLocation {
  readonly lines: readonly string[];
  /** Numbers of lines, the best first. */
  readonly best: readonly number[];
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

/** How many ranges each of the best files gets; as many files are answered with. Measured: see docs/research.md. */
const rangesOfRank = [3, 3, 2, 2, 1, 1, 1, 1, 1, 1];

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
    return { caller, repo: name, revision, commit, tree: await this.#parts.trees.read(name, commit, signal) };
  }

  /** The likeliest file first. */
  async find(snapshot: Snapshot, asked: Asked): Promise<Place[]> {
    const ranking = await rankFiles(this.#parts, snapshot, asked);
    const files = ranking.files.slice(0, rangesOfRank.length).filter(({ score }) => score > 0);
    asked.work.step(`choosing lines of ${files.length} files`);
    const outlines = await Promise.all(files.map(({ path }) => this.#outline(snapshot, path, asked.work)));
    const places = files.flatMap((file, rank) => {
      const outline = outlines[rank] ?? [];
      return placesOf(file, { snapshot, ranking, outline, most: rangesOfRank[rank] ?? 1 });
    });
    const { symbols } = this.#parts;
    const known = new Set(files.map(({ path }) => path));
    const followed = symbols ? await followNames(symbols, { snapshot, ranking, known, work: asked.work }) : [];
    return [...places, ...followed];
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

interface Placing {
  readonly snapshot: Snapshot;
  readonly ranking: Ranking;
  readonly outline: readonly OutlineEntry[];
  readonly most: number;
}

function placesOf(file: RankedFile, { snapshot, ranking, outline, most }: Placing): Place[] {
  const { path, scan, score } = file;
  const { repo, revision, commit } = snapshot;
  const { weights, vocabulary } = ranking;
  const source = { repo, path, commit, ...(revision !== undefined && { revision }), score };
  const reason = reasonOf(file, { vocabulary, weights });
  if (!scan) return [{ ...source, reason, startLine: 1, endLine: 1, lines: [], best: [] }];
  const pointed = ranking.pointedLines(path).filter((line) => line <= scan.lineStarts.length);
  return rangesOf({ scan, weights, pointed, outline, most }).map((range) => ({
    ...source,
    reason,
    startLine: range.startLine,
    endLine: range.endLine,
    best: range.best,
    lines: linesOf(scan, range),
  }));
}

function linesOf(
  { text, lineStarts }: { text: string; lineStarts: readonly number[] },
  { startLine, endLine }: LineRange,
): string[] {
  return text
    .slice(lineStarts[startLine - 1], lineStarts[endLine])
    .replace(/\r?\n$/, '')
    .split(/\r?\n/);
}
