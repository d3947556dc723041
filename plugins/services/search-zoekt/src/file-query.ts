import { SextantError, escapeRegExp } from '@sextant/core';
import { evaluate, leavesOf, requireLanguagePattern } from '@sextant/contracts';
import type { FileLeaf, Query, QueryLeaf, QueryOfFiles, QueryTerm } from '@sextant/contracts';
import type { LineMatcher, Patterns } from '@sextant/library-block-index';
import { SearchTerms, termsNeeded } from '@sextant/library-keyword-search';
import type { Term } from '@sextant/library-keyword-search';

/** Terms of a query at most: each is looked for in every text. */
const mostTerms = 256;

const isTerm = (leaf: QueryLeaf): leaf is QueryTerm => leaf.kind === 'literal' || leaf.kind === 'regex';

/** A query over the files of commits, compiled once for a search. */
export class FileQuery {
  readonly query: QueryOfFiles;
  /** By leaf; equal terms are one object. */
  readonly terms: ReadonlyMap<QueryLeaf, Term>;
  /** The terms whose matches are shown: those under no negation, or under an even number of them. */
  readonly shown: SearchTerms;
  readonly #patterns: Patterns;
  readonly #matchers = new Map<string, LineMatcher>();

  constructor(query: QueryOfFiles, patterns: Patterns) {
    this.query = query;
    this.#patterns = patterns;
    const byText = new Map<string, Term>();
    const leaves = leavesOf(query);
    this.terms = new Map(
      leaves.flatMap(({ leaf }) => {
        if (!isTerm(leaf)) return [];
        const key = JSON.stringify(leaf);
        const term = byText.get(key) ?? termOf(leaf);
        byText.set(key, term);
        return [[leaf, term]];
      }),
    );
    if (byText.size > mostTerms)
      throw new SextantError(
        'invalid_argument',
        `the query looks for more than ${mostTerms} different texts; leave some out`,
      );
    const positive = leaves.flatMap(({ leaf, isNegated }) => (isNegated ? [] : (this.terms.get(leaf) ?? [])));
    this.shown = new SearchTerms([...new Set(positive)], termsNeeded(asText(query)));
  }

  /** The query with the leaves that a path decides; text that the path lacks is left where text is searched. */
  reduced(path: string, { hasPath, wantsPathsOnly }: PathContext): Query {
    return evaluate(this.query, (leaf) => {
      if (leaf.kind === 'repo-has-path') return hasPath(leaf.pattern);
      const isFound = this.#isIn(leaf, path);
      return isTerm(leaf) && !isFound && !wantsPathsOnly ? undefined : isFound;
    });
  }

  /** Whether any of some paths matches. */
  matchesAny(pattern: string, paths: Iterable<{ readonly path: string }>): boolean {
    const matcher = this.#matcher(pattern, true);
    for (const { path } of paths) if (matcher.test(path)) return true;
    return false;
  }

  release(): void {
    for (const matcher of this.#matchers.values()) matcher.release();
  }

  #isIn(leaf: Exclude<FileLeaf, { kind: 'repo-has-path' }>, path: string): boolean {
    switch (leaf.kind) {
      case 'literal':
        return !leaf.text.includes('\n') && this.#matcher(escapeRegExp(leaf.text), !leaf.isCaseSensitive).test(path);
      case 'regex':
        return this.#matcher(leaf.pattern, !leaf.isCaseSensitive).test(path);
      case 'file':
        return this.#matcher(leaf.pattern, true).test(path);
      case 'lang':
        return this.#matcher(requireLanguagePattern(leaf.name), true).test(path);
    }
  }

  #matcher(pattern: string, foldCase: boolean): LineMatcher {
    const key = `${foldCase} ${pattern}`;
    const matcher = this.#matchers.get(key) ?? this.#patterns.compile(pattern, { foldCase });
    this.#matchers.set(key, matcher);
    return matcher;
  }
}

export interface PathContext {
  /** Whether a path of the commit matches. */
  readonly hasPath: (pattern: string) => boolean;
  readonly wantsPathsOnly: boolean;
}

const termOf = (leaf: QueryTerm): Term =>
  leaf.kind === 'literal'
    ? { literal: leaf.text, foldCase: !leaf.isCaseSensitive }
    : { regex: leaf.pattern, foldCase: !leaf.isCaseSensitive };

interface TextQuery {
  readonly kind: string;
  readonly children?: readonly TextQuery[];
}

/** The query as far as texts are concerned. */
const asText = (query: Query): TextQuery =>
  query.kind === 'literal' || query.kind === 'regex'
    ? { kind: 'text' }
    : query.kind === 'and' || query.kind === 'or'
      ? { kind: query.kind, children: query.children.map(asText) }
      : { kind: query.kind };

/** Whether what a path has left of a query is true of a file without text. */
export const isTrueWithoutText = (rest: Query): boolean => evaluate(rest, () => false).kind === 'all';
