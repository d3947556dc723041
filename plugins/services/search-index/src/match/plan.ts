import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { positiveTerms, requireLanguagePattern, simplify } from '@sextant/contracts';
import type { Query, QueryOfFiles, QueryTerm, SearchRequest, SearchResult } from '@sextant/contracts';
import { MAX_LITERAL_BYTES, MAX_TERMS } from '@sextant/library-block-index';
import { identifierParts, questionWords, searchedStem } from '@sextant/library-ranking';
import type { Question, QuestionWord } from '@sextant/library-ranking';
import type { Term } from '@sextant/library-keyword-search';
import type { FileQuery, JobLimits, JobRequest, JobResult, PathLeaf, WordsJob } from './job.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

interface PlannedTarget {
  readonly repository: { readonly name: string };
  readonly query: QueryOfFiles;
}

interface PlannedSnapshot {
  readonly snapshot: Pick<Snapshot, 'handle'>;
  readonly target: PlannedTarget;
}

interface PlanRequest {
  readonly caller: Caller;
  readonly request: SearchRequest;
}

/** Makes the job of a search: a query for each target. Equal terms and queries are one object. Throws `invalid_argument`. */
export class JobPlan {
  readonly #terms = new Terms();
  readonly #queries: ReadonlyMap<QueryOfFiles, FileQuery>;
  readonly #question: Question | undefined;
  readonly #words: WordsJob['words'];
  readonly #planRequest: PlanRequest;

  constructor(targets: readonly PlannedTarget[], planRequest: PlanRequest) {
    this.#planRequest = planRequest;
    const { request } = planRequest;
    const names = targets.map(({ repository }) => repository.name);
    const question = request.mode === 'natural' ? questionOf(request.query, names) : undefined;
    const wanted = (query: QueryOfFiles): FileQuery => fileQuery(question ? questionFilter(query) : query, this.#terms);
    this.#queries = onlyOnce(targets, wanted);
    this.#question = question;
    this.#words = (question?.words ?? []).map(({ prefix, ...word }) => ({
      term: this.#terms.of({ literal: prefix, foldCase: true }),
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

  jobOf(snapshots: readonly PlannedSnapshot[], limits: JobLimits): JobRequest {
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
      wantsPathsOnly: request.options.types.includes('path'),
      limits,
      ...(request.explain && { explains: true }),
      ...(this.#question && { question: { words: this.#words, wanted: this.#question.wanted } }),
    };
  }
}

/** Makes equal queries one object, which is sent to a thread once. */
function onlyOnce(
  targets: readonly PlannedTarget[],
  make: (query: QueryOfFiles) => FileQuery,
): Map<QueryOfFiles, FileQuery> {
  const byQuery = new Map<QueryOfFiles, FileQuery>();
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
  readonly #byText = new Map<string, Term>();

  /** Equal terms are one object. */
  of<T extends Term>(term: T): T {
    const key = JSON.stringify(term);
    const known = this.#byText.get(key);
    // Equal texts are terms of one kind.
    if (known) return known as T;
    if (this.#byText.size === MAX_TERMS)
      throw new SextantError(
        'invalid_argument',
        `the query looks for more than ${MAX_TERMS} different texts and expressions; leave some out, or join them to one expression: /one|two/`,
      );
    this.#byText.set(key, term);
    return term;
  }
}

/** The query as workers know it. */
function fileQuery(query: QueryOfFiles, terms: Terms): FileQuery {
  switch (query.kind) {
    case 'and':
    case 'or':
      return { kind: query.kind, children: query.children.map((child) => fileQuery(child, terms)) };
    case 'not':
      return { kind: 'not', child: fileQuery(query.child, terms) };
    case 'literal':
      return { kind: 'text', term: terms.of<Term>({ literal: query.text, foldCase: !query.isCaseSensitive }) };
    case 'regex':
      return { kind: 'text', term: terms.of<Term>({ regex: query.pattern, foldCase: !query.isCaseSensitive }) };
    case 'file':
      return pathLeaf(query.pattern, 'file');
    case 'repo-has-path':
      return pathLeaf(query.pattern, 'any');
    case 'lang':
      return pathLeaf(requireLanguagePattern(query.name), 'file');
    case 'all':
    case 'none':
      return query;
  }
}

/** Patterns of paths match in any case, and anywhere. */
const pathLeaf = (pattern: string, scope: PathLeaf['scope']): PathLeaf => ({
  kind: 'path',
  term: { regex: pattern, foldCase: true },
  scope,
});

/** A question that is asked of some repositories. Throws `invalid_argument` when it has no words. */
function questionOf(query: Query, repositories: readonly string[]): Question {
  const phrases = positiveTerms(query).flatMap((term) => (/\s/.test(textOf(term)) ? textOf(term) : []));
  const projects = new Set(repositories.map((repository) => lastNameOf(repository).toLowerCase()));
  const question = questionWords({ texts: saidTogether(query), phrases, projects, longest: MAX_LITERAL_BYTES });
  if (question.words.length > 0) return question;
  throw new SextantError(
    'invalid_argument',
    'the query has no words to look for; filters alone can be searched with keyword_search',
  );
}

const isGroup = ({ kind }: Query): boolean => kind === 'and' || kind === 'or';
const textOf = (term: QueryTerm): string => (term.kind === 'literal' ? term.text : term.pattern);

/** The texts of a question, each with neighbouring words. Words that OR joins are not neighbours. */
function saidTogether(query: Query): string[] {
  if (query.kind === 'or') return query.children.flatMap(saidTogether);
  const parts = query.kind === 'and' ? query.children : [query];
  const terms = parts.flatMap((part) => (isGroup(part) ? [] : positiveTerms(part)));
  const text = terms.map(textOf).join(' ');
  return [...(text === '' ? [] : [text]), ...parts.filter(isGroup).flatMap(saidTogether)];
}

/**
 * Which words of a question name each repository by the last part of its name. In "where does nginx accept connections",
 * `nginx` names the repository. None if the question has no other word.
 */
function wordsNaming(repositories: readonly string[], words: readonly QuestionWord[]): number[][] {
  const naming = repositories.map((repository) => {
    const names = namesOf(repository, words);
    return words.flatMap(({ prefix }, word) => (names.has(prefix) ? word : []));
  });
  // Phrases and joined names repeat words that stand alone, too.
  const single = words.filter(({ prefix, isOfPath }) => !isOfPath && !/\s/.test(prefix));
  return new Set(naming.flat()).size < single.length ? naming : repositories.map(() => []);
}

function namesOf(repository: string, words: readonly QuestionWord[]): ReadonlySet<string> {
  const name = lastNameOf(repository);
  const parts = identifierParts(name).map(searchedStem);
  const isSaid = (part: string): boolean => words.some(({ prefix }) => prefix === part);
  return new Set(parts.every(isSaid) ? [name.toLowerCase(), ...parts] : [name.toLowerCase()]);
}

const lastNameOf = (repository: string): string => repository.slice(repository.lastIndexOf('/') + 1);

/** The query without its words: filters and negations decide which files are ranked. Words only count for the rank. */
const questionFilter = (query: QueryOfFiles): QueryOfFiles => simplify(withoutWords(query));

function withoutWords(query: QueryOfFiles): QueryOfFiles {
  switch (query.kind) {
    case 'and':
    case 'or':
      return { kind: query.kind, children: query.children.map(withoutWords) };
    case 'literal':
    case 'regex':
      return { kind: 'all' };
    default:
      return query;
  }
}
