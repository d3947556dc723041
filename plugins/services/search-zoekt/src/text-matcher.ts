import { evaluate } from '@sextant/contracts';
import type { AnswerLimits, Query, QueryLeaf } from '@sextant/contracts';
import {
  Matches,
  ResidentContent,
  Shard,
  ShardBuilder,
  memorySource,
  searchDocuments,
} from '@sextant/library-block-index';
import type { SearchPlace, Workspace } from '@sextant/library-block-index';
import {
  BestLine,
  classWeights,
  countLines,
  fileScore,
  firstMatches,
  nameScore,
  pathClassWeights,
  rankedLines,
  shallowness,
  withoutLettersInLongLines,
} from '@sextant/library-keyword-search';
import type { ShownLines, Term } from '@sextant/library-keyword-search';
import { pathClass, pathClasses } from '@sextant/library-ranking';
import type { FileQuery } from './file-query.ts';

/** A file whose text decides, with what its path has left of the query. */
export interface TextFile {
  readonly path: string;
  readonly rest: Query;
  /** Of its text. */
  readonly bytes: number;
}

export interface TextFiles {
  readonly files: readonly TextFile[];
  /** One after the other. */
  readonly texts: Uint8Array<ArrayBuffer>;
  readonly limits: AnswerLimits;
}

export interface RatedFile extends ShownLines {
  readonly path: string;
  readonly score: number;
  /** Lines that match. */
  readonly matchCount: number;
}

/** Decides which texts match and what they score. It searches them as the embedded engine does its shards, without an index. */
export class TextMatcher {
  readonly #workspace: Workspace;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** The files that match. `texts` has theirs one after the other. */
  match(query: FileQuery, { files, texts, limits }: TextFiles): RatedFile[] {
    const builder = new ShardBuilder({ isIndexed: false });
    let at = 0;
    for (const { bytes } of files) builder.add(texts.subarray(at, (at += bytes)));
    const workspace = this.#workspace;
    const shard = Shard.load(workspace, builder.finish());
    try {
      const content = ResidentContent.load(workspace, shard, memorySource(texts));
      try {
        return matchIn({ workspace, shard, content }, { query, files, limits });
      } finally {
        workspace.arena.release(content.address);
      }
    } finally {
      shard.release(workspace);
    }
  }
}

interface MatchJob {
  readonly query: FileQuery;
  readonly files: readonly TextFile[];
  readonly limits: AnswerLimits;
}

function matchIn(place: SearchPlace, { query, files, limits }: MatchJob): RatedFile[] {
  const found = new Map<Term, Map<number, Matches>>();
  const documents = Uint32Array.from(files.keys());
  for (const term of new Set(query.terms.values())) {
    const inDocuments = new Map<number, Matches>();
    for (const matches of searchDocuments(place, term, { documents }))
      for (const { document, matches: own } of matches.byDocument()) inDocuments.set(document, own.copy());
    found.set(term, inDocuments);
  }
  const inDocument = (leaf: QueryLeaf, document: number): Matches | undefined => {
    const term = query.terms.get(leaf);
    return term && found.get(term)?.get(document);
  };
  return files.flatMap(({ path, rest }, document) => {
    if (evaluate(rest, (leaf) => inDocument(leaf, document) !== undefined).kind !== 'all') return [];
    const matches = Matches.merge(query.shown.terms.flatMap((term) => found.get(term)?.get(document) ?? []));
    if (matches.length === 0) return [ratedPath(query, path, false)];
    return [ratedText(place, { document, path, matches, query, limits })];
  });
}

interface MatchedText extends Pick<MatchJob, 'query' | 'limits'> {
  readonly document: number;
  readonly path: string;
  readonly matches: Matches;
}

function ratedText(
  { shard, content }: SearchPlace,
  { document, path, matches, query, limits }: MatchedText,
): RatedFile {
  const { shown: terms } = query;
  const { lineCharacters, linesPerFile } = limits;
  const line = new BestLine(matches, terms, { content, lineCharacters });
  const facts = { named: namedOf(query, path), lineCount: line.counted, best: line.score };
  const score = Math.fround(fileScore({ weight: weightOf(path, classWeights), ...facts }));
  const all = withoutLettersInLongLines(matches, terms, lineCharacters);
  const kept = firstMatches(all, linesPerFile, line.toKeep);
  const { start, end } = shard.documentRange(document);
  const lines =
    limits.chunksPerFile === 0
      ? { chunks: [], matches: [] }
      : rankedLines(kept, { start, end, reader: content }, { ...limits, terms });
  return { path, score, matchCount: countLines(matches), ...lines };
}

/** A file that is rated by its path alone. */
export function ratedPath(query: FileQuery, path: string, wantsPathsOnly: boolean): RatedFile {
  const weight = weightOf(path, wantsPathsOnly ? pathClassWeights : classWeights);
  const best = wantsPathsOnly ? shallowness(path.split('/').length - 1) : 0;
  const score = Math.fround(fileScore({ weight, named: namedOf(query, path), lineCount: 0, best }));
  return { path, score, matchCount: 0, chunks: [], matches: [] };
}

const weightOf = (path: string, weights: readonly number[]): number =>
  weights[pathClasses.indexOf(pathClass(path))] ?? 0;

function namedOf({ shown: { names } }: FileQuery, path: string): number {
  const sum = names.reduce((all, { literal }) => all + nameScore(path, String(literal).toLowerCase()), 0);
  return sum === 0 ? 0 : sum / names.length;
}
