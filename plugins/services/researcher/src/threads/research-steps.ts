import type { ChosenSymbol, SymbolFileRequest } from '../answer/symbols.ts';
import type { Found } from '../locate/candidates.ts';
import type { LineRange, RangeRequest } from '../locate/ranges.ts';
import type { PastWork } from '../ranking/history.ts';
import type { NameUse } from '../ranking/scan.ts';
import type { WordWeights } from '../ranking/signals.ts';
import type { MentionedFile } from '../repository/mentioned-files.ts';
import type { ReadTask } from '../task/read-task.ts';
import type { NamedRepositories } from '../task/repository-names.ts';

/** Everything that the ranking looks at. */
export interface Evidence {
  readonly read: ReadTask;
  /** Files of the commit. */
  readonly fileCount: number;
  readonly found: Omit<Found, 'paths'>;
  readonly past: PastWork;
  readonly mentioned: ReadonlyMap<string, MentionedFile>;
  /** Of those of the paths that have one. */
  readonly texts: ReadonlyMap<string, string>;
  readonly paths: readonly string[];
}

export interface RankedFile {
  readonly path: string;
  /** As a share of the best one's. */
  readonly score: number;
  /** Empty for those that are not among the best. */
  readonly reason: string;
  /** Undefined where it has no text. */
  readonly scan: { readonly names: readonly NameUse[] } | undefined;
}

export interface Ranking {
  /** The likeliest first. */
  readonly files: readonly RankedFile[];
  readonly weights: WordWeights;
}

/** A file of which the best lines are wanted. */
export interface ChosenFile extends Pick<RangeRequest, 'pointed' | 'outline' | 'most'> {
  readonly text: string;
}

/** A range with its text. */
export interface ChosenRange extends LineRange {
  readonly lines: readonly string[];
}

/** What a thread does, by its name: what goes in and what comes out. */
export interface Steps {
  readonly read: { readonly asked: string; readonly answer: ReadTask };
  readonly names: {
    readonly asked: { readonly text: string; readonly names: readonly string[] };
    readonly answer: NamedRepositories;
  };
  readonly rank: { readonly asked: Evidence; readonly answer: Ranking };
  readonly ranges: {
    readonly asked: { readonly read: ReadTask; readonly weights: WordWeights; readonly files: readonly ChosenFile[] };
    readonly answer: readonly (readonly ChosenRange[])[];
  };
  readonly symbols: {
    readonly asked: {
      readonly read: ReadTask;
      readonly weights: WordWeights;
      readonly files: readonly SymbolFileRequest[];
    };
    readonly answer: readonly ChosenSymbol[];
  };
}

export type StepRequest = {
  [Step in keyof Steps]: { readonly step: Step; readonly asked: Steps[Step]['asked'] };
}[keyof Steps];
export type StepAnswer = {
  [Step in keyof Steps]: { readonly step: Step; readonly answer: Steps[Step]['answer'] };
}[keyof Steps];
