import { printPart } from '@sextant/contracts';
import type { Query } from '@sextant/contracts';
import { positiveTerms } from '../match/positive-terms.ts';

/** `.*`, `\w+`, `[a-z]`, `]?`, `a|b`, `^a` and `a$`: seldom meant as they stand. */
const signs = /[.)\]][*+]|[)\]]\?|\\[bBdDsSwW]|\[\w-\w|\w\|\w|^\^\w|\w\$$/;

/** What to try where nothing was found and a text reads like a regular expression, which stands between slashes. */
export function expressionNote(query: Query): string | undefined {
  const texts = positiveTerms(query).flatMap((term) => (term.kind === 'literal' ? term.text : []));
  const text = texts.find((each) => signs.test(each));
  if (text === undefined) return undefined;
  const expression = printPart({ kind: 'regex', pattern: text, isCaseSensitive: false });
  return `"${text}" was looked for as it stands; write ${expression} for a regular expression.`;
}
