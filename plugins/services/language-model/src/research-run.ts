import type { Links, Repositories, ResearchLocation, ResearchProgress, ResearchWork } from '@sextant/contracts';
import { builtInEndpoints, joinSignals, timeoutSignal } from '@sextant/core';
import type { Call, Caller, Logger, Toolbox } from '@sextant/core';
import type { LanguageModel } from 'ai';
import { runAgent } from './agent.ts';
import type { AgentAnswer, AgentTask } from './agent.ts';
import { CitationCheck, draftOf } from './citations.ts';
import type { CheckedText, Claim } from './citations.ts';
import type { ModelSettings } from './config.ts';
import { modelTools } from './model-tools.ts';
import { keepOwnLinks } from './own-links.ts';
import { repositoryData } from './repository-data.ts';

/** What every run of one server has in common. */
export interface RunSurroundings {
  readonly model: LanguageModel;
  readonly settings: ModelSettings;
  readonly repositories: Repositories;
  readonly toolbox: Toolbox;
  readonly links: Links;
  readonly externalURL: string;
  readonly log: Logger;
}

/** One question to the model, for one caller and within its limits. */
export class ResearchRun {
  /** How this run marks what it shows to the model. */
  readonly data = repositoryData();
  readonly #surroundings: RunSurroundings;
  readonly #call: Call;
  readonly #settings: ModelSettings;
  readonly #check: CitationCheck;
  readonly #report: (progress: Omit<ResearchProgress, 'progress'>) => void;

  constructor(surroundings: RunSurroundings, { caller, work }: { caller: Caller; work: ResearchWork }) {
    const { settings, log, repositories } = surroundings;
    const seconds = Math.min(work.maxSeconds ?? Infinity, settings.maxSeconds);
    const signal = joinSignals(work.signal, timeoutSignal(seconds * 1000));
    let steps = 0;
    this.#report = ({ message, draft }) => {
      if (draft !== undefined) return work.reportProgress({ progress: steps, draft });
      steps += 1;
      work.reportProgress({ progress: steps, ...(message !== undefined && { message }) });
    };
    this.#surroundings = surroundings;
    this.#settings = { ...settings, maxCalls: Math.min(work.maxCalls ?? Infinity, settings.maxCalls) };
    this.#call = { caller, endpoint: builtInEndpoints.all, signal, log, reportProgress: this.#report };
    this.#check = new CitationCheck({ repositories, caller, signal });
  }

  /** Throws whatever the model, its provider or a limit failed with. */
  ask(task: Pick<AgentTask, 'instructions' | 'prompt' | 'answerTool'>): Promise<AgentAnswer> {
    const { model, toolbox } = this.#surroundings;
    const settings = this.#settings;
    const available = modelTools({ toolbox, call: this.#call, data: this.data, maxCalls: settings.maxCalls });
    const { externalURL } = this.#surroundings;
    const tell = (thought: string): void =>
      this.#report({ message: keepOwnLinks(thought.replaceAll(/\s+/g, ' '), externalURL) });
    // What a tool ends is no text for people.
    const draft = (text: string): void =>
      task.answerTool ? undefined : this.#report({ draft: keepOwnLinks(draftOf(text), externalURL) });
    return runAgent({ ...task, model, settings, available, signal: this.#call.signal, tell, draft });
  }

  /** The text with its citations as links, and without links to elsewhere. A file without a repository may be of one of `repos`. */
  async cited(text: string, repos: readonly string[]): Promise<CheckedText> {
    const { externalURL, links } = this.#surroundings;
    const linked = await this.#check.link(text, { links, externalURL, repos });
    return { ...linked, markdown: keepOwnLinks(linked.markdown, externalURL) };
  }

  /** Those of the claims that hold, in their order; a place in it takes the place of a score. */
  async located(
    claims: readonly (Claim & { readonly reason: string })[],
    revision?: string,
  ): Promise<ResearchLocation[]> {
    const checked = await Promise.all(claims.map((claim) => this.#check.sourceOf(claim, revision)));
    return checked.flatMap((source, place) => {
      const reason = keepOwnLinks(claims[place]?.reason ?? '', this.#surroundings.externalURL);
      return source ? [{ ...source, reason, score: 1 - place / claims.length }] : [];
    });
  }
}
