import { html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { addressOf } from './asked.ts';
import { filtersIn, suggestedFilters } from './filters.ts';
import type { View } from './page.ts';

const kinds = { symbol: 'Symbols', path: 'Paths', repo: 'Repositories', commit: 'Commits', diff: 'Changes' } as const;

/** The filters of the query, each with the way to the query without it, and some that would narrow it. */
export function chips({ asked, outcome }: View): Content {
  if (asked.query === '') return undefined;
  const set = filtersIn(asked.query);
  const suggested = outcome.kind === 'files' ? suggestedFilters(outcome.result, asked.query) : [];
  const hasKind = set.some(({ text }) => /^type:/i.test(text));
  return html`<ul class="chips" aria-label="Filters">
    ${set.map(({ text, without }) => html`<li><a class="chip set" href=${addressOf(asked, { query: without })} aria-label=${`Remove ${text}`}>${text}<span aria-hidden="true"> ×</span></a></li>`)}
    ${!hasKind && Object.entries(kinds).map(([kind, title]) => add(`type:${kind} ${asked.query}`, title))}
    ${suggested.map((filter) => add(`${asked.query} ${filter}`, filter))}
  </ul>`;

  function add(query: string, title: string): Content {
    return html`<li><a class="chip" href=${addressOf(asked, { query })}><span aria-hidden="true">+ </span>${title}</a></li>`;
  }
}
