import { findRepositories, wantedFiles } from '@sextant/contracts';
import type { FoundFile, FoundWord, Repositories, Search, SearchRequest, SearchResult } from '@sextant/contracts';
import type { Caller } from '@sextant/core';
import { Patterns } from '@sextant/library-block-index';
import { askedOfNodes } from './asked-of-nodes.ts';
import type { Nodes } from './nodes.ts';
import { lackingIn, notesOf, revisionNotes } from './parts.ts';
import type { Lacking } from './parts.ts';

/** Most UTF-16 code units of the lines of an answer, unless the request says otherwise. */
const charactersUnlessLimited = 200_000;

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
      return { type: typeOf(request), files: [], matchCount: 0, fileCount: 0, limitHit: false, notes };
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
      return withScores(only, request);
    return merged(parts.answers, request, lacking);
  }
}

function merged(answers: readonly SearchResult[], request: SearchRequest, lacking: Lacking): SearchResult {
  const all = answers.flatMap(({ files }) => files).toSorted(byScore);
  const { limits, options } = request;
  const wanted = all.slice(0, wantedFiles(limits.files, options.count));
  const files = withinLimits(wanted, answers, request);
  lacking.throwUnlessFound(files.length);
  const sum = (count: (answer: SearchResult) => number): number => answers.reduce((all, each) => all + count(each), 0);
  const fileCount = sum((answer) => answer.fileCount);
  const reasons = answers.flatMap(({ notSearched }) => notSearched?.reasons ?? []);
  const left = [...lacking.notes, ...revisionNotes(request.query, lacking)];
  const words = wordsIn(answers);
  return withScores(
    {
      type: answers[0]?.type ?? typeOf(request),
      files,
      matchCount: sum((answer) => answer.matchCount),
      fileCount,
      limitHit: answers.some(({ limitHit }) => limitHit) || files.length < fileCount || lacking.notes.length > 0,
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

/** A node shows more where it found little, and as many characters as the whole answer may have. */
function withinLimits(
  files: readonly FoundFile[],
  answers: readonly SearchResult[],
  { limits, options }: SearchRequest,
): FoundFile[] {
  if (options.select === 'repo') return [...files];
  const found = answers.reduce((sum, { matchCount }) => sum + matchCount, 0);
  const isLittle = files.length <= 1 || (limits.linesShownWhole !== undefined && found <= limits.linesShownWhole);
  const chunks = isLittle || options.count !== undefined ? Number.POSITIVE_INFINITY : limits.chunksPerFile;
  let left = limits.characters ?? charactersUnlessLimited;
  const shown: FoundFile[] = [];
  for (const file of files) {
    left -= file.path.length + file.chunks.reduce((sum, { lines }) => sum + lines.join('\n').length, 0);
    if (left <= 0 && shown.length > 0) break;
    shown.push(file.chunks.length > chunks ? withFirstChunks(file, chunks) : file);
  }
  return shown;
}

function withFirstChunks(file: FoundFile, count: number): FoundFile {
  const chunks = file.chunks.slice(0, count);
  const isShown = (line: number): boolean => chunks.some((chunk) => chunk.startLine <= line && line <= chunk.endLine);
  return { ...file, chunks, matches: file.matches.filter(({ line }) => isShown(line)) };
}

/** How many files have a word, on all nodes. */
function wordsIn(answers: readonly SearchResult[]): FoundWord[] {
  const counts = new Map<string, number>();
  for (const { stem, fileCount } of answers.flatMap(({ words = [] }) => words))
    counts.set(stem, (counts.get(stem) ?? 0) + fileCount);
  return [...counts].map(([stem, fileCount]) => ({ stem, fileCount }));
}

const typeOf = ({ options: { types, select } }: SearchRequest): SearchResult['type'] => {
  if (select === 'repo') return 'repo';
  return types.includes('path') || select === 'file' ? 'path' : 'file';
};

/** Scores are for merging; a caller sees them who asked for them. */
const withScores = (result: SearchResult, { explain }: SearchRequest): SearchResult =>
  explain ? result : { ...result, files: result.files.map(({ score: _score, ...file }) => file) };
