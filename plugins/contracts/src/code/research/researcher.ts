import { token } from '@sextant/core';
import type { Caller, Progress } from '@sextant/core';

/** Something to be done or understood, whose code is looked for. */
export interface ResearchTask {
  /** In any words: a request, a commit message, a bug report, an error with its stack. */
  readonly task: string;
  /** Absent: the repository that the task names. */
  readonly repo?: string;
  /** Absent: the default branch. */
  readonly revision?: string;
}

/** A question, and what was said before it. */
export interface ResearchQuestion {
  readonly question: string;
  /** Earlier turns of the conversation, oldest first. */
  readonly history?: readonly ResearchTurn[];
  /** Repositories to look at; absent: those that the question names, else all that the caller may read. */
  readonly scope?: readonly string[];
}

export interface ResearchTurn {
  readonly question: string;
  /** Markdown. */
  readonly answer: string;
}

/** What was done, or what the answer says so far. */
export interface ResearchProgress extends Progress {
  /** Markdown as far as it is written, with links to this server only; its citations are not checked yet. Empty: begun anew. */
  draft?: string;
}

/** What surrounds one piece of research. Without limits of its own it keeps to those that the operator configured. */
export interface ResearchWork {
  readonly signal: AbortSignal;
  reportProgress(progress: ResearchProgress): void;
  /** Most searches and reads. */
  readonly maxCalls?: number;
  /** Then it answers with what it has. */
  readonly maxSeconds?: number;
}

/** Lines of a file that were read. */
export interface ResearchSource {
  readonly repo: string;
  readonly path: string;
  /** As asked for; absent: the default branch. */
  readonly revision?: string;
  /** Full hash of the commit that was read. */
  readonly commit: string;
  /** From 1, inclusive. */
  readonly startLine: number;
  readonly endLine: number;
}

export interface ResearchLocation extends ResearchSource {
  /** Why it is here, in one short sentence. */
  readonly reason: string;
  /** Of the file, as a share of the best one's. */
  readonly score: number;
  /** The line that says most, without its indentation, and cut where it is long; absent where none is known. */
  readonly best?: { readonly line: number; readonly text: string };
  /** The name of the innermost definition around the best line. */
  readonly within?: string;
}

export interface Localisation {
  /** Plain text for a reader with little time. */
  readonly summary: string;
  /** The likeliest file first; the ranges of a file stand together, the best first, and do not overlap. */
  readonly locations: readonly ResearchLocation[];
}

export interface ResearchAnswer {
  /** Of a conversation that begins with the question: at most 80 characters. */
  readonly title: string;
  /** What was found, with quoted lines and links to them. */
  readonly markdown: string;
  /** Everything that `markdown` quotes, in its order. */
  readonly sources: readonly ResearchSource[];
  /** What `markdown` consists of, joined by empty lines; absent: it is one part that rests on all sources. */
  readonly parts?: readonly AnswerPart[];
  /** Sentences of `markdown` that hold of any answer to the question, without names of repositories. */
  readonly notes?: readonly string[];
}

/** A piece of an answer. Only those who may read everything that it rests on may see it. */
export interface AnswerPart {
  readonly markdown: string;
  readonly sources: readonly ResearchSource[];
}

/**
 * Finds and explains code without a language model: the same answer for the same repositories and question. Looks only
 * at what the caller may read and stops when `signal` aborts.
 */
export interface Researcher {
  /** The name of the language model that answers; absent: none does. */
  readonly model?: string;
  /**
   * Finds the places in the code that a task is about. Throws `invalid_argument` for a task that is empty, names no
   * repository, or asks for an overview, and `not_found` for an unknown repository or revision.
   */
  locate(caller: Caller, task: ResearchTask, work: ResearchWork): Promise<Localisation>;
  /** Throws `invalid_argument` for an empty question and `not_found` for an unknown repository of `scope`. */
  answer(caller: Caller, question: ResearchQuestion, work: ResearchWork): Promise<ResearchAnswer>;
}

/** What plugins in a process of their own have of it. */
export const researcherMembers = { locate: 'caller', answer: 'caller' } as const;

export const Researcher = token<Researcher>('researcher', { remote: researcherMembers });
