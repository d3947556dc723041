import { SextantError } from '@sextant/core';
import * as values from './filter-values.ts';
import { FilterValueError } from './filter-values.ts';
import { filters } from './filters.ts';
import { repositoriesNamed } from './query.ts';
import type { QueryOptions, ParsedQuery, Query, ResultType } from './query.ts';
import { leavesOf, simplify } from './algebra.ts';
import { QuerySyntaxError } from './syntax-error.ts';
import { tokenize } from './tokens.ts';
import type { Token } from './tokens.ts';

/** UTF-16 code units, terms and filters, and nested groups that a query may have. */
export const queryLimits = { length: 8192, tokens: 1000, depth: 100 } as const;

/**
 * Parses a query. Neighbouring terms and filters are ANDed. OR binds less, NOT and `-` more. A filter in a group holds
 * for the group. Throws `QuerySyntaxError`, and `invalid_argument` for text that is not well-formed UTF-16.
 */
export function parseQuery(text: string): ParsedQuery {
  if (text.length > queryLimits.length)
    throw new QuerySyntaxError(text, queryLimits.length, `it is longer than ${queryLimits.length} characters.`);
  if (!text.isWellFormed())
    throw new SextantError(
      'invalid_argument',
      'the query has half of a surrogate pair, which is in no text; leave it out',
    );
  const { tokens, notes } = tokenize(text);
  const beyond = tokens[queryLimits.tokens];
  if (beyond) throw new QuerySyntaxError(text, beyond.at, `it has more than ${queryLimits.tokens} terms.`);
  const parser = new Parser(text, tokens);
  const query = simplify(parser.parse());
  return { query, options: parser.options, notes: [...notes, ...parser.remarks] };
}

interface AskedQuery {
  readonly query: string;
  readonly limit?: number | undefined;
  readonly repo?: string | undefined;
}

/** The query that a search tool was asked. A `count:` of its own holds. */
export function askedQuery({ query: text, limit, repo: name }: AskedQuery): ParsedQuery {
  const { query, options, ...parsed } = parseQuery(text);
  return {
    ...parsed,
    query: name === undefined ? query : { kind: 'and', children: [repositoriesNamed([name]), query] },
    options: { ...(limit !== undefined && { count: limit }), ...options },
  };
}

type FilterToken = Extract<Token, { kind: 'filter' }>;
type TextToken = Extract<Token, { kind: 'word' | 'phrase' | 'regex' }>;

/** How the terms of a group are read. `case:` and `patterntype:` anywhere in it hold for all of it. */
interface Mode {
  readonly isCaseSensitive: boolean;
  readonly isRegexp: boolean;
}

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  /** Remarks for the caller. */
  readonly remarks: string[] = [];
  #at = 0;
  #options: { count?: number | 'all'; types: ResultType[]; select?: 'repo' | 'file' } = { types: [] };

  constructor(text: string, tokens: readonly Token[]) {
    this.#text = text;
    this.#tokens = tokens;
  }

  get options(): QueryOptions {
    return this.#options;
  }

  parse(): Query {
    const query = this.#group({ isCaseSensitive: false, isRegexp: false }, 0);
    const left = this.#tokens[this.#at];
    if (left) throw this.#error(left, 'this ")" closes nothing. Quote text that contains it: "f(a, b)".');
    return query;
  }

  /** Everything up to the end of the group. */
  #group(outer: Mode, depth: number): Query {
    const mode = this.#modeOf(outer);
    const branches: Query[] = [];
    do branches.push(this.#conjunction(mode, depth));
    while (this.#take('or'));
    return { kind: 'or', children: branches };
  }

  #conjunction(mode: Mode, depth: number): Query {
    const children: Query[] = [];
    for (;;) {
      const token = this.#tokens[this.#at];
      if (!token || token.kind === 'close' || token.kind === 'or') break;
      if (token.kind === 'and') {
        this.#requireOperands(token, children);
        this.#at += 1;
      } else children.push(this.#unary(mode, depth));
    }
    this.#requireBranch(children, depth);
    return { kind: 'and', children };
  }

  #unary(mode: Mode, depth: number): Query {
    const token = this.#tokens[this.#at];
    if (!token) throw this.#endError('something to search for must follow.');
    this.#at += 1;
    switch (token.kind) {
      case 'not':
        return this.#negated(token, mode, depth);
      case 'open':
        return this.#inParentheses(token, mode, depth);
      case 'filter':
        return this.#filter(token);
      case 'word':
      case 'phrase':
      case 'regex':
        return this.#term(token, mode);
      default:
        throw this.#error(token, `something to search for must stand before ${this.#text.slice(token.at, token.end)}.`);
    }
  }

  #negated(token: Token, mode: Mode, depth: number): Query {
    const next = this.#tokens[this.#at];
    if (!next || next.kind === 'close' || next.kind === 'and' || next.kind === 'or')
      throw this.#error(token, 'something to exclude must follow. Quote it to search for the word itself: "NOT", "-".');
    if (next.kind === 'filter' && filters[next.name].role === 'option')
      throw this.#error(token, `${next.name}: cannot be excluded; it holds for the whole query.`);
    if (next.kind === 'word' && token.end - token.at === 1) this.#remark(exclusionRemark(next.text));
    if (depth >= queryLimits.depth) throw this.#error(token, `groups are nested more than ${queryLimits.depth} deep.`);
    const child = this.#unary(mode, depth + 1);
    if (containsRevision(child))
      throw this.#error(next, 'a revision cannot be excluded; name the revisions to search with rev:.');
    return { kind: 'not', child };
  }

  #inParentheses(open: Token, mode: Mode, depth: number): Query {
    if (depth >= queryLimits.depth) throw this.#error(open, `groups are nested more than ${queryLimits.depth} deep.`);
    const inner = this.#group(mode, depth + 1);
    if (!this.#take('close'))
      throw this.#error(open, 'this "(" is not closed. Close it, or quote text that contains it: "f(".');
    return inner;
  }

  #filter({ name, value, at, end }: FilterToken): Query {
    try {
      return this.#read(name, value);
    } catch (error) {
      if (error instanceof FilterValueError) throw this.#error({ kind: 'and', at, end }, error.message);
      throw error;
    }
  }

  #read(name: FilterToken['name'], value: string): Query {
    switch (name) {
      case 'repo':
        this.#remark(values.repoGlobRemark(value));
        return values.repoFilter(value);
      case 'file':
        this.#remark(values.globRemark('file', value) ?? values.contentRemark(value));
        return { kind: 'file', pattern: values.expression('file', value) };
      case 'lang':
        return { kind: 'lang', name: values.required('lang', value).toLowerCase() };
      case 'rev':
        return { kind: 'rev', revisions: values.revisions(value) };
      case 'fork':
      case 'archived':
        return { kind: name, value: values.presence(name, value) };
      case 'visibility':
        return { kind: name, value: values.readBy(value) };
      case 'stars':
        return values.stars(value);
      case 'pushed':
        return values.pushed(value);
      case 'author':
      case 'message':
      case 'line':
        return { kind: name, pattern: values.required(name, value) };
      case 'after':
      case 'before':
        return { kind: name, date: values.required(name, value) };
      case 'diff':
        return { kind: 'diff', side: values.side(value) };
      case 'count':
        this.#options.count = values.count(value);
        return { kind: 'all' };
      case 'type':
        this.#options.types.push(values.resultType(value));
        return { kind: 'all' };
      case 'select':
        this.#options.select = values.selection(value);
        return { kind: 'all' };
      case 'case':
      case 'patterntype':
        // Read for the whole group, by `#modeOf`.
        return { kind: 'all' };
    }
  }

  #remark(remark: string | undefined): void {
    if (remark !== undefined && !this.remarks.includes(remark)) this.remarks.push(remark);
  }

  #term({ kind, text, at, end }: TextToken, { isCaseSensitive, isRegexp }: Mode): Query {
    if (text === '') throw this.#error({ kind: 'and', at, end }, 'there is nothing between the quotes.');
    if (kind === 'regex' || (kind === 'word' && isRegexp)) return { kind: 'regex', pattern: text, isCaseSensitive };
    return { kind: 'literal', text, isCaseSensitive };
  }

  /** Looks ahead over the tokens of this group, not into groups inside it. */
  #modeOf(outer: Mode): Mode {
    let { isCaseSensitive, isRegexp } = outer;
    let depth = 0;
    for (const token of this.#tokens.slice(this.#at)) {
      if (token.kind === 'open') depth += 1;
      else if (token.kind === 'close' && --depth < 0) break;
      else if (token.kind === 'filter' && depth === 0) {
        if (token.name === 'case') isCaseSensitive = this.#checked(token, () => values.isYes('case', token.value));
        if (token.name === 'patterntype')
          isRegexp = this.#checked(token, () => values.patternType(token.value)) === 'regexp';
      }
    }
    return { isCaseSensitive, isRegexp };
  }

  #checked<T>(token: Token, read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw error instanceof FilterValueError ? this.#error(token, error.message) : error;
    }
  }

  #take(kind: Token['kind']): boolean {
    if (this.#tokens[this.#at]?.kind !== kind) return false;
    this.#at += 1;
    return true;
  }

  #requireOperands(and: Token, before: readonly Query[]): void {
    const after = this.#tokens[this.#at + 1];
    if (before.length === 0 || !after || after.kind === 'close' || after.kind === 'or' || after.kind === 'and')
      throw this.#error(and, 'AND must stand between two terms. Quote it to search for the word itself: "AND".');
  }

  #requireBranch(children: readonly Query[], depth: number): void {
    if (children.length > 0) return;
    const token = this.#tokens[this.#at];
    const before = this.#tokens[this.#at - 1];
    const or = [token, before].find((candidate) => candidate?.kind === 'or');
    if (or) throw this.#error(or, 'OR must stand between two terms. Quote it to search for the word itself: "OR".');
    if (token?.kind === 'close' && depth > 0)
      throw this.#error(token, 'this group is empty. Quote text that contains parentheses: "()".');
    if (!token)
      throw this.#endError('it is empty. Give words to search for, such as "parse config" or repo:shop parseConfig.');
  }

  #error(token: Token, problem: string): QuerySyntaxError {
    return new QuerySyntaxError(this.#text, token.at, problem);
  }

  #endError(problem: string): QuerySyntaxError {
    return new QuerySyntaxError(this.#text, this.#text.length, problem);
  }
}

const containsRevision = (query: Query): boolean => leavesOf(query).some(({ leaf }) => leaf.kind === 'rev');

/** Words that are hardly ever excluded: code has `return -1` and `ls -l`. */
const mayBeText = /^(?:[\d.]+|..?)$/u;

/** A remark on an excluded word that may have been meant as text. */
const exclusionRemark = (word: string): string | undefined =>
  mayBeText.test(word) ? `-${word} left out what has "${word}"; quote it to search for it: "-${word}".` : undefined;
