import { html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { addressOf } from './asked.ts';
import { filtersIn } from './filters.ts';
import type { View } from './page.ts';

const kinds = { symbol: 'Symbols', path: 'Paths', repo: 'Repositories', commit: 'Commits', diff: 'Changes' } as const;

/** The filters of the query, each with the way to the query without it; and other kinds of results. */
export function chips({ asked }: View): Content {
  if (asked.query === '') return undefined;
  const set = filtersIn(asked.query);
  const hasKind = set.some(({ text }) => /^type:/i.test(text));
  return html`<ul class="chips" aria-label="Filters">
    ${set.map(({ text, without }) => html`<li><a class="chip set" href=${addressOf(asked, { query: without })} aria-label=${`Remove ${text}`}>${text}<span aria-hidden="true"> ×</span></a></li>`)}
    ${!hasKind && Object.entries(kinds).map(([kind, title]) => html`<li><a class="chip" href=${addressOf(asked, { query: `type:${kind} ${asked.query}`, mode: 'keyword' })}>${title}</a></li>`)}
  </ul>`;
}
