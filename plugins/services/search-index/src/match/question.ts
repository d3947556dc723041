import { SextantError } from '@sextant/core';
import { positiveTerms, simplify } from '@sextant/contracts';
import type { Query, QueryTerm } from '@sextant/contracts';
import { MAX_LITERAL_BYTES } from '@sextant/library-block-index';
import { identifierParts, questionWords, searchedStem } from '@sextant/library-ranking';
import type { Question, QuestionWord } from '@sextant/library-ranking';

/** A question that is asked of some repositories. Throws `invalid_argument` when it has no words. */
export function questionOf(query: Query, repositories: readonly string[]): Question {
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
export function wordsNaming(repositories: readonly string[], words: readonly QuestionWord[]): number[][] {
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
export const questionFilter = (query: Query): Query => simplify(withoutWords(query));

function withoutWords(query: Query): Query {
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
