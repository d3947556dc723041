import { html, htmlResponse, notice } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import type { Asked } from './asked.ts';
import { searchModule } from './assets.ts';
import { chips } from './chips.ts';
import { fileResults } from './file-results.ts';
import { help } from './help.ts';
import { historyResults } from './history-results.ts';
import type { View } from './page.ts';

export const show = (view: View): Response =>
  htmlResponse({
    ...view.frame,
    title: view.asked.query || 'Search',
    modules: [searchModule.path],
    body: html`<h1 class="unseen">Search</h1>
      ${form(view)} ${chips(view)} ${answer(view)}`,
  });

const form = ({ asked, outcome }: View): Content =>
  html`<form class="search stack" action="/search" role="search">
    <div class="search-box">
      <input
        type="search"
        name="q"
        class="mono"
        value=${asked.query}
        aria-label="Search"
        aria-describedby=${outcome.kind === 'mistake' ? 'mistake' : undefined}
        aria-invalid=${outcome.kind === 'mistake' ? 'true' : undefined}
        placeholder=${asked.mode === 'natural' ? 'What are you looking for?' : 'Words, "phrases", /regular expressions/, repo: file: lang: …'}
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        maxlength="8192"
        autofocus=${asked.query === ''}
      />
      <button class="button primary" type="submit">Search</button>
    </div>
    <fieldset class="segments">
      <legend class="unseen">How to search</legend>
      ${mode(asked, 'keyword', 'Exact keywords')} ${mode(asked, 'natural', 'Natural language')}
    </fieldset>
  </form>`;

const mode = (asked: Asked, value: Asked['mode'], title: string): Content =>
  html`<label><input type="radio" name="mode" value=${value} checked=${asked.mode === value} data-submits=${asked.query !== ''} /><span>${title}</span></label>`;

function answer(view: View): Content {
  const { outcome, asked } = view;
  switch (outcome.kind) {
    case 'nothing asked':
      return help(outcome.example);
    case 'mistake':
      return mistake(asked.query, outcome);
    case 'refused':
      return notice('danger', html`<pre class="message">${outcome.message}</pre>`);
    case 'files':
      return fileResults(view, outcome);
    case 'history':
      return historyResults(view, outcome);
  }
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
