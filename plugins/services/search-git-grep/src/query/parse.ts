import { SextantError } from '@sextant/core';
import type { SearchRequest } from '@sextant/contracts';
import { QuerySyntaxError, parseQuery } from '@sextant/library-query';
import type { ParsedQuery, Query } from '@sextant/library-query';
import { fileQuery, nameSource } from './file-query.ts';

/** The query of a request with everything in it known to be right. Throws `invalid_argument`, `unavailable`. */
export function parse({ query: text, mode }: SearchRequest): ParsedQuery {
  if (mode === 'natural')
    throw new SextantError(
      'unavailable',
      'questions are answered from an index, which is switched off here; use keyword_search with the words of the code',
    );
  const parsed = parsedText(text);
  const other = parsed.options.types.find((type) => !['file', 'path', 'repo'].includes(type));
  if (other !== undefined)
    throw new SextantError(
      'invalid_argument',
      `type:${other} needs a service that is not loaded here; use type:file, type:path or type:repo`,
    );
  check(parsed.query);
  return parsed;
}

function parsedText(text: string): ParsedQuery {
  try {
    return parseQuery(text);
  } catch (error) {
    if (error instanceof QuerySyntaxError) throw new SextantError('invalid_argument', error.message);
    throw error;
  }
}

/** Expressions and languages are looked at before any repository, so that what is wrong with them tells nothing of these. */
function check(query: Query): void {
  if (query.kind === 'and' || query.kind === 'or') for (const child of query.children) check(child);
  else if (query.kind === 'not') check(query.child);
  else if (query.kind === 'lang') fileQuery(query);
  else if ('pattern' in query) nameSource(query.pattern);
}

/** The texts that are looked for, in lower case. */
export function wordsOf(query: Query): string[] {
  if (query.kind === 'and' || query.kind === 'or') return query.children.flatMap(wordsOf);
  return query.kind === 'literal' ? [query.text.toLowerCase()] : [];
}
