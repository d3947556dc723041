import { SextantError, didYouMean } from '@sextant/core';
import type { Query, Term } from '@sextant/library-query';
import { languageNames, languagePattern } from '@sextant/library-search-results';
import type { FileQuery } from '../matching/protocol.ts';
import { literalSource } from '../regex/classes.ts';
import { PatternError } from '../regex/pattern-error.ts';
import { translate } from '../regex/translate.ts';

/**
 * What is asked of the files of one commit, as expressions of JavaScript. Filters of repositories and revisions are decided
 * before. Throws `invalid_argument`.
 */
export function fileQuery(query: Query): FileQuery {
  switch (query.kind) {
    case 'and':
    case 'or':
      return { kind: query.kind, children: query.children.map(fileQuery) };
    case 'not':
      return { kind: 'not', child: fileQuery(query.child) };
    case 'literal':
    case 'regex':
      return {
        kind: 'text',
        source: termSource(query),
        isOverLines: query.kind === 'literal' && query.text.includes('\n'),
      };
    case 'file':
      return { kind: 'path', source: nameSource(query.pattern), scope: 'file' };
    case 'lang':
      return { kind: 'path', source: languageSource(query.name), scope: 'file' };
    case 'repo-has-path':
      return { kind: 'path', source: nameSource(query.pattern), scope: 'commit' };
    case 'all':
    case 'none':
      return { kind: query.kind };
    default:
      throw new Error(`the filter ${query.kind} is not about files`);
  }
}

/** Throws `invalid_argument`. */
export function termSource(term: Term): string {
  if (term.kind === 'literal') return literalSource(term.text, !term.isCaseSensitive);
  return checked(term.pattern, !term.isCaseSensitive);
}

/** An expression for names of repositories or paths, in any case. Throws `invalid_argument`. */
export const nameSource = (pattern: string): string => checked(pattern, true);

function checked(pattern: string, isAnyCase: boolean): string {
  try {
    return translate(pattern, isAnyCase);
  } catch (error) {
    if (error instanceof PatternError) throw new SextantError('invalid_argument', error.message);
    throw error;
  }
}

function languageSource(language: string): string {
  const pattern = languagePattern(language);
  if (pattern !== undefined) return nameSource(pattern);
  throw new SextantError(
    'invalid_argument',
    `lang:${language} is no language that is known here.${didYouMean(language, languageNames)} Use file: with a pattern such as file:\\.${language}$ instead.`,
  );
}
