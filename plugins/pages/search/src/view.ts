import { fragmentResponse, html, htmlResponse, notice } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { addressOf } from './asked.ts';
import type { Asked } from './asked.ts';
import { searchModule } from './assets.ts';
import { facetList } from './facets.ts';
import { fileResults } from './file-results.ts';
import { help } from './help.ts';
import { filtersIn, withoutFilters } from './filters.ts';
import { isKind, kindTabs } from './kinds.ts';
import { historyResults } from './history-results.ts';
import type { View } from './page.ts';

export async function show(view: View): Promise<Response> {
  return htmlResponse({
    ...view.frame,
    title: view.asked.query || 'Search',
    modules: [searchModule.path],
    body: html`<h1 class="unseen">Search</h1>
      ${form(view)} ${view.asked.query !== '' && kindTabs(view.asked)} ${chips(view)} ${await answer(view)}`,
  });
}

/** The results alone, for a page that did not wait for them. */
export const showResults = async (view: View): Promise<Response> => fragmentResponse(await answer(view));

/** A query that has only filters is one that is begun: what is typed next is a word of its own. */
const isBegun = ({ asked: { query } }: View): boolean => query !== '' && withoutFilters(query, () => true) === '';

const form = (view: View): Content => {
  const { asked, outcome } = view;
  return html`<form class="search-box" action="/search" role="search">
    <input
      type="search"
      name="q"
      class="mono"
      value=${isBegun(view) ? `${asked.query} ` : asked.query}
      aria-label="Search"
      aria-describedby=${outcome.kind === 'mistake' ? 'mistake' : undefined}
      aria-invalid=${outcome.kind === 'mistake' ? 'true' : undefined}
      placeholder="Words, “phrases”, /expressions/, repo: file: lang: …, or a question"
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      maxlength="8192"
      autofocus=${asked.query === '' || isBegun(view)}
      data-suggest
    />
    <button class="button primary" type="submit">Search</button>
  </form>`;
};

async function answer(view: View): Promise<Content> {
  const { outcome, asked } = view;
  switch (outcome.kind) {
    case 'nothing asked':
      return help(outcome.example);
    case 'later':
      return later(asked);
    case 'mistake':
      return mistake(asked.query, outcome);
    case 'refused':
      return notice('danger', html`<pre class="message">${outcome.message}</pre>`);
    case 'files':
      return beside(view, fileResults(view, outcome));
    case 'history':
      return beside(view, historyResults(view, outcome));
  }
}

/** Results, and what they can be narrowed by. */
async function beside({ facets, asked }: View, results: Promise<Content>): Promise<Content> {
  const [narrowing, found] = await Promise.all([facets, results]);
  return html`<div class="found-with-facets">
    ${
      narrowing === 'later'
        ? html`<div class="facets" data-facets=${addressOf(asked, { part: 'facets' })}></div>`
        : facetList(asked, narrowing.groups, narrowing.isPartial) || html`<div></div>`
    }
    <div class="stack">${found}</div>
  </div>`;
}

/** The query again, with the place at which it does not parse. */
function mistake(query: string, { position, problem }: { position: number; problem: string }): Content {
  const at = query.slice(position, position + 1) || ' ';
  return notice(
    'danger',
    html`<div id="mistake" class="stack">
      <p>${problem.slice(0, 1).toUpperCase()}${problem.slice(1)}</p>
      <pre class="message">${query.slice(0, position)}<mark class="mistake">${at}</mark>${query.slice(position + 1)}</pre>
    </div>`,
  );
}

/** What stands where results will be: a script asks for them, and without one the browser does. */
const later = (asked: Asked): Content =>
  html`<div class="searching quiet" data-results=${addressOf(asked, { part: 'results' })}>
    <p role="status">Searching …</p>
    <noscript><meta http-equiv="refresh" content=${`0; url=${addressOf(asked, { part: 'all' })}`} /></noscript>
  </div>`;

/** The filters of the query, each with the way to the query without it. */
function chips({ asked }: View): Content {
  const set = filtersIn(asked.query).filter(({ text }) => !isKind(text));
  const { kind } = asked;
  return (
    (set.length > 0 || kind !== undefined) &&
    html`<ul class="chips" aria-label="Filters">
      ${kind !== undefined && html`<li><a class="chip set" href=${addressOf(asked, { kind: undefined })} aria-label=${`Remove ${kind}`}>${kind}<span aria-hidden="true"> ×</span></a></li>`}
      ${set.map(({ text, without }) => html`<li><a class="chip set" href=${addressOf(asked, { query: without })} aria-label=${`Remove ${text}`}>${text}<span aria-hidden="true"> ×</span></a></li>`)}
    </ul>`
  );
}
