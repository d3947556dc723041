import { filterPattern } from '@sextant/contracts';
import { emptyState, html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { addressOf } from './asked.ts';
import type { Asked } from './asked.ts';
import { filtersIn, isUnknownTo, withoutFilters } from './filters.ts';
import { isKind } from './kinds.ts';

interface Way {
  readonly title: string;
  readonly query: string;
  readonly mode?: Asked['mode'];
}

/** Ways on from a search that finds nothing. */
export function nothingFound(asked: Asked, notes: readonly string[]): Content {
  const ways = [...notes.flatMap((note) => corrected(asked.query, note) ?? []), ...wider(asked)];
  return emptyState(
    'Nothing was found.',
    ways.length === 0
      ? 'Try another word, or a part of it.'
      : html`Try instead: ${ways.map(({ title, query, mode }, index) => html`${index > 0 && ', '}<a href=${addressOf(asked, { query, mode: mode ?? asked.mode })}>${title}</a>`)}`,
  );
}

const named = /(?:nothing|no repository) matches (?:"([^"]+)"|(repo:)(\S+?)(?=[.,]? ))/i;

/** The query with what a note proposes in the place of what it names. */
export function corrected(query: string, note: string): Way | undefined {
  const [, meant] = /did you mean "([^"]+)"\?/i.exec(note) ?? [];
  if (meant === undefined) return undefined;
  const words = withoutFilters(query, () => true);
  // A word that is alone is not named.
  const [, word, filter, value] = named.exec(note) ?? [note, /\s/.test(words) ? undefined : words];
  const [mistaken, right] = filter ? [`repo:${value}`, `repo:^${filterPattern(meant)}$`] : [word, meant];
  const at = mistaken === undefined ? -1 : query.toLowerCase().indexOf(mistaken.toLowerCase());
  if (mistaken === undefined || at < 0) return undefined;
  return { title: meant, query: query.slice(0, at) + right + query.slice(at + mistaken.length) };
}

/** What finds more: any of the words, no filter, a question. */
function wider({ query, mode }: Asked): Way[] {
  const filters = filtersIn(query);
  const words = withoutFilters(query, () => true).split(' ');
  const isPlain = words.length > 1 && words.every((word) => /^[\w.]+$/.test(word) && !/^(?:AND|OR|NOT)$/.test(word));
  const kept = filters.map(({ text }) => text).join(' ');
  return [
    ...(isPlain && mode === 'keyword'
      ? [{ title: 'any of the words', query: `${kept} (${words.join(' OR ')})`.trim() }]
      : []),
    ...filters.flatMap(({ text, without }) =>
      isKind(text) || without === '' ? [] : [{ title: `without ${text}`, query: without }],
    ),
    ...(isPlain && filters.every(({ text }) => !isKind(text)) ? [otherReading(query, mode)] : []),
    ...(mode === 'natural' || filters.some(({ text }) => isKind(text)) || words.join('') === ''
      ? []
      : [removed(query)]),
  ];
}

/** What is nowhere now may have been there before. */
const removed = (query: string): Way => ({
  title: 'changes that removed it',
  query: `type:diff diff:removed ${withoutFilters(query, (text) => isUnknownTo('history', text))}`,
  mode: 'keyword',
});

const otherReading = (query: string, mode: Asked['mode']): Way =>
  mode === 'natural'
    ? { title: 'exactly these words', query, mode: 'keyword' }
    : { title: 'as a question', query, mode: 'natural' };
