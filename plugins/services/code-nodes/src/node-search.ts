import { answerLimits, filesThatFit, findRepositories, typeOfAnswer } from '@sextant/contracts';
import type { FoundFile, FoundWord, Repositories, Search, SearchRequest, SearchResult } from '@sextant/contracts';
import type { Caller } from '@sextant/core';
import { Patterns } from '@sextant/library-block-index';
import { askedOfNodes } from './asked-of-nodes.ts';
import type { Nodes } from './nodes.ts';
import { lackingIn, notesOf, revisionNotes } from './parts.ts';
import type { Lacking } from './parts.ts';

/**
 * Search on all nodes that have repositories which a query can be about. Each answers with its best files; they are merged by
 * score, then by repository, revision and the order of the node.
 */
export class NodeSearch implements Search {
  readonly #repositories: Repositories;
  readonly #nodes: Nodes;
  readonly #patterns = new Patterns();

  constructor(repositories: Repositories, nodes: Nodes) {
    this.#repositories = repositories;
    this.#nodes = nodes;
  }

  async find(caller: Caller, asked: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    signal.throwIfAborted();
    const { reduced, request } = askedOfNodes(asked, await this.#repositories.list(caller), this.#patterns);
    const { notes } = request;
    if (request.options.types.includes('repo') || reduced.size === 0) {
      if (request.options.types.includes('repo')) return findRepositories(reduced, { request, notes });
      return { type: typeOfAnswer(request.options), files: [], matchCount: 0, fileCount: 0, limitHit: false, notes };
    }
    const parts = await this.#nodes.askEach('search.find', {
      repositories: [...reduced.keys()],
      argumentsOf: ({ repositories, isOnly }) => ({
        repositories,
        request: isOnly ? request : { ...request, notes: [], explain: true, isPart: true },
      }),
      caller,
      signal,
    });
    const lacking = lackingIn(parts);
    const [only, ...others] = parts.answers;
    if (only && others.length === 0 && parts.failures.length === 0 && lacking.missing.length === 0)
      return withScores({ ...only, notes: notesOf([only]) }, request);
    return merged(parts.answers, request, lacking);
  }
}

function merged(answers: readonly SearchResult[], request: SearchRequest, lacking: Lacking): SearchResult {
  const all = answers.flatMap(({ files }) => files).toSorted(byScore);
  const sum = (count: (answer: SearchResult) => number): number => answers.reduce((all, each) => all + count(each), 0);
  const counts = { fileCount: sum(({ fileCount }) => fileCount), matchCount: sum(({ matchCount }) => matchCount) };
  const files = filesThatFit(all, counts, answerLimits(request));
  lacking.throwUnlessFound(files.length);
  const reasons = answers.flatMap(({ notSearched }) => notSearched?.reasons ?? []);
  const left = [...lacking.notes, ...revisionNotes(request.query, lacking)];
  const words = wordsIn(answers);
  return withScores(
    {
      type: answers[0]?.type ?? typeOfAnswer(request.options),
      files,
      ...counts,
      limitHit: answers.some(({ limitHit }) => limitHit) || files.length < counts.fileCount || lacking.notes.length > 0,
      ...(reasons.length + lacking.notes.length > 0 && {
        notSearched: {
          files: sum(({ notSearched }) => notSearched?.files ?? 0),
          reasons: [...reasons, ...lacking.notes],
        },
      }),
      ...(lacking.missing.length > 0 && { missing: lacking.missing }),
      notes: [...new Set([...request.notes, ...notesOf(answers), ...left])],
      ...(words.length > 0 && { words }),
    },
    request,
  );
}

const byScore = (a: FoundFile, b: FoundFile): number =>
  (b.score?.total ?? 0) - (a.score?.total ?? 0) ||
  compared(a.repo, b.repo) ||
  compared(a.revision ?? '', b.revision ?? '');

const compared = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** How many files have a word, on all nodes. */
function wordsIn(answers: readonly SearchResult[]): FoundWord[] {
  const counts = new Map<string, number>();
  for (const { stem, fileCount } of answers.flatMap(({ words = [] }) => words))
    counts.set(stem, (counts.get(stem) ?? 0) + fileCount);
  return [...counts].map(([stem, fileCount]) => ({ stem, fileCount }));
}

/** Scores are for merging; a caller sees them who asked for them. */
const withScores = (result: SearchResult, { explain }: SearchRequest): SearchResult =>
  explain ? result : { ...result, files: result.files.map(({ score: _score, ...file }) => file) };
