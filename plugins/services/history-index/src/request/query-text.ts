import type { CommitRequest, DiffRequest, HistoryFilter } from '@sextant/contracts';
import { rfc3339 } from '@sextant/contracts';
import type { Window } from './dates.ts';
import { escapeRegex, pathRegex } from './glob.ts';

/** A commit search in the query language of code search; there names of files are taken in any case, globs are not. */
export const commitQuery = (request: CommitRequest, window: Window): string =>
  words([
    'type:commit',
    `repo:${anyOf(request.repositories.map((name) => `^${escapeRegex(name)}$`))}`,
    ...common(request, window),
    ...either(request.messages, (message) => `message:${quote(pattern(message, request))}`),
    ...(request.paths.length === 0 ? [] : [`file:${anyOf(request.paths.map((path) => `(?-i:${pathRegex(path)})`))}`]),
    ...either(request.contents, (content) => `line:${quote(pattern(content, request))}`),
    `count:${request.count}`,
  ]);

/** A diff search in the query language of code search. */
export const diffQuery = (request: DiffRequest, window: Window): string =>
  words([
    'type:diff',
    `repo:${anyOf(request.repositories)}`,
    ...common(request, window),
    ...(request.sides.length === 1 ? [`diff:${request.sides.join('')}`] : []),
    term(request.pattern, request),
    `count:${request.count}`,
  ]);

const common = (filter: HistoryFilter, { after, before }: Window): string[] => [
  ...(filter.revisions.length === 0 ? [] : [`rev:${quote(filter.revisions.join(':'))}`]),
  ...either(filter.authors, (author) => `author:${quote(pattern(author, filter))}`),
  ...(after === undefined ? [] : [`after:${quote(rfc3339(after))}`]),
  ...(before === undefined ? [] : [`before:${quote(rfc3339(before))}`]),
];

function either(values: readonly string[], write: (value: string) => string): string[] {
  if (values.length === 0) return [];
  const written = values.map(write);
  return written.length === 1 ? written : [`(${written.join(' OR ')})`];
}

const words = (parts: readonly string[]): string => parts.join(' ');
const pattern = (text: string, { isRegex }: HistoryFilter): string => (isRegex ? text : escapeRegex(text));
const term = (text: string, { isRegex }: HistoryFilter): string =>
  isRegex
    ? `/${text.replaceAll(/\\[\s\S]|\//g, (part) => (part === '/' ? String.raw`\/` : part))}/`
    : `"${escaped(text)}"`;
const anyOf = (regexes: readonly string[]): string =>
  quote(regexes.length === 1 ? regexes.join('') : regexes.map((regex) => `(?:${regex})`).join('|'));
const quote = (text: string): string => (/^[^\s"\\()]+$/.test(text) ? text : `"${escaped(text)}"`);
const escaped = (text: string): string => text.replaceAll(/["\\]/g, String.raw`\$&`);
