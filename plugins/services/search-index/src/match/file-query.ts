import { MAX_TERMS } from '@sextant/library-block-index';
import { SextantError, didYouMean } from '@sextant/core';
import type { Query } from '@sextant/contracts';
import { languageNames, languagePattern } from '@sextant/library-search-results';
import type { FileQuery, Term } from '../pool/protocol.ts';

/** The terms of all targets of one search, each once. */
export class Terms {
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

/** What is asked of the files of one commit. Filters of repositories and revisions are decided before. */
export function fileQuery(query: Query, terms: Terms): FileQuery {
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
