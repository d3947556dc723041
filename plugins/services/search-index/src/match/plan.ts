import { SextantError, didYouMean } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { languageNames, languagePattern } from '@sextant/contracts';
import type { Query, SearchRequest, SearchResult } from '@sextant/contracts';
import { MAX_TERMS } from '@sextant/library-block-index';
import type { Question } from '@sextant/library-ranking';
import type { FileQuery, JobLimits, JobRequest, JobResult, Term, WordsJob } from '../pool/protocol.ts';
import { questionFilter, questionOf, wordsNaming } from './question.ts';
import type { OpenedSnapshot } from '../revisions/opened-snapshots.ts';
import type { Target } from '../revisions/targets.ts';

interface PlanRequest {
  readonly caller: Caller;
  readonly request: SearchRequest;
}

/** One job for the threads: what is asked of each target, and the terms of all of them. Throws `invalid_argument`. */
export class Plan {
  readonly #terms = new Terms();
  readonly #queries: ReadonlyMap<Query, FileQuery>;
  readonly #question: Question | undefined;
  readonly #words: WordsJob['words'];
  readonly #planRequest: PlanRequest;

  constructor(targets: readonly Target[], planRequest: PlanRequest) {
    this.#planRequest = planRequest;
    const { request } = planRequest;
    const names = targets.map(({ repository }) => repository.name);
    const question = request.mode === 'natural' ? questionOf(request.query, names) : undefined;
    const wanted = (query: Query): FileQuery => fileQuery(question ? questionFilter(query) : query, this.#terms);
    this.#queries = onlyOnce(targets, wanted);
    this.#question = question;
    this.#words = (question?.words ?? []).map(({ prefix, ...word }) => ({
      term: this.#terms.numberOf({ literal: prefix, foldCase: true }),
      ...word,
    }));
  }

  /** Each word of a question with the number of files that have it. */
  wordsIn(results: readonly JobResult[]): Pick<SearchResult, 'words'> {
    const counts = results.find(({ filesWithWord }) => filesWithWord)?.filesWithWord;
    if (!counts || !this.#question) return {};
    const { words } = this.#question;
    return {
      words: words.flatMap(({ prefix, isOfPath }, word) =>
        isOfPath ? [] : { stem: prefix, fileCount: counts[word] ?? 0 },
      ),
    };
  }

  jobOf(snapshots: readonly OpenedSnapshot[], limits: JobLimits): JobRequest {
    const { caller, request } = this.#planRequest;
    const names = snapshots.map(({ target }) => target.repository.name);
    const naming = this.#question && wordsNaming(names, this.#question.words);
    return {
      caller: caller.user.id,
      snapshots: snapshots.map(({ snapshot, target }, index) => ({
        snapshot: snapshot.handle.id,
        target: index,
        query: this.#queries.get(target.query) ?? { kind: 'none' },
        ...(naming && { namedBy: naming[index] ?? [] }),
      })),
      terms: this.#terms.list,
      wantsPathsOnly: request.options.types.includes('path'),
      limits,
      ...(request.explain && { explains: true }),
      ...(this.#question && { question: { words: this.#words, wanted: this.#question.wanted } }),
    };
  }
}

/** Makes equal queries one object, which is sent to a thread once. */
function onlyOnce(targets: readonly Target[], make: (query: Query) => FileQuery): Map<Query, FileQuery> {
  const byQuery = new Map<Query, FileQuery>();
  const byText = new Map<string, FileQuery>();
  for (const { query } of targets) {
    if (byQuery.has(query)) continue;
    const made = make(query);
    const text = JSON.stringify(made);
    const same = byText.get(text) ?? made;
    byText.set(text, same);
    byQuery.set(query, same);
  }
  return byQuery;
}

/** The distinct terms of all targets of one search. */
class Terms {
  readonly list: Term[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(term: Term): number {
    const key = JSON.stringify(term);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (this.list.length === MAX_TERMS)
      throw new SextantError(
        'invalid_argument',
        `the query looks for more than ${MAX_TERMS} different texts and expressions; leave some out, or join them to one expression: /one|two/`,
      );
    this.#numbers.set(key, this.list.push(term) - 1);
    return this.list.length - 1;
  }
}

/** A query over the files of one commit, in which no filter of repositories or revisions is left. */
function fileQuery(query: Query, terms: Terms): FileQuery {
  switch (query.kind) {
    case 'and':
    case 'or':
      return { kind: query.kind, children: query.children.map((child) => fileQuery(child, terms)) };
    case 'not':
      return { kind: 'not', child: fileQuery(query.child, terms) };
    case 'literal':
      return { kind: 'text', term: terms.numberOf({ literal: query.text, foldCase: !query.isCaseSensitive }) };
    case 'regex':
      return { kind: 'text', term: terms.numberOf({ regex: query.pattern, foldCase: !query.isCaseSensitive }) };
    case 'file':
      return { kind: 'path', pattern: query.pattern, scope: 'file' };
    case 'repo-has-path':
      return { kind: 'path', pattern: query.pattern, scope: 'any' };
    case 'lang':
      return { kind: 'path', pattern: patternOf(query.name), scope: 'file' };
    case 'all':
    case 'none':
      return query;
    default:
      throw new Error(`the filter ${query.kind} is not about files`);
  }
}

function patternOf(language: string): string {
  const pattern = languagePattern(language);
  if (pattern !== undefined) return pattern;
  throw new SextantError(
    'invalid_argument',
    `lang:${language} is no language that is known here.${didYouMean(language, languageNames)} Use file: with a pattern such as file:\\.${language}$ instead.`,
  );
}
