import type { Caller } from '@sextant/core';
import type { SearchRequest } from '@sextant/contracts';
import type { ParsedQuery, Query } from '@sextant/library-query';
import type { FileQuery, JobLimits, WordsJob } from '../threads/protocol.ts';
import { fileQuery, Terms } from './file-query.ts';
import { questionFilter, questionWords } from './natural.ts';
import type { OpenedView } from './opened-views.ts';
import type { JobRequest } from './query-threads.ts';
import type { Target } from './targets.ts';

interface Planned {
  readonly caller: Caller;
  readonly request: SearchRequest;
  readonly parsed: ParsedQuery;
}

/** What is asked of each target, and the terms of all of them. Throws `invalid_argument`. */
export class Plan {
  readonly #terms = new Terms();
  readonly #queries: ReadonlyMap<Target, FileQuery>;
  readonly #words: WordsJob['words'] | undefined;
  readonly #planned: Planned;

  constructor(targets: readonly Target[], planned: Planned) {
    this.#planned = planned;
    const { request, parsed } = planned;
    const question = request.mode === 'natural' ? questionWords(parsed.query) : undefined;
    const wanted = ({ query }: Target): Query => (question ? questionFilter(query) : query);
    this.#queries = new Map(targets.map((target) => [target, fileQuery(wanted(target), this.#terms)]));
    this.#words = question?.map(({ prefix, weight }) => ({
      term: this.#terms.numberOf({ literal: prefix, foldCase: true }),
      weight,
    }));
  }

  jobOf(views: readonly OpenedView[], limits: JobLimits): JobRequest {
    const { caller, parsed } = this.#planned;
    return {
      caller: caller.user.id,
      views: views.map(({ view, target }, index) => ({
        view: view.handle.id,
        target: index,
        query: this.#queries.get(target) ?? { kind: 'none' },
      })),
      terms: this.#terms.list,
      wantsPathsOnly: parsed.options.types.includes('path'),
      limits,
      ...(this.#words && { question: { words: this.#words } }),
    };
  }
}
