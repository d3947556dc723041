import { html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';

const examples: readonly (readonly [query: string, meaning: string])[] = [
  ['parseConfig timeout', 'Both words in one file, in any case'],
  ['"exact phrase" OR /retry\\(\\d+\\)/', 'A phrase, or a regular expression'],
  ['repo:acme/shop file:\\.ts$ -file:test cart', 'In some repositories and files, and not in others'],
  ['lang:go func main', 'In one language'],
  ['repo:acme/shop@v1.0 cart', 'At a branch, a tag or a commit'],
  ['type:path config', 'Names of files; type:repo for names of repositories'],
  ['type:commit author:ada after:"2 weeks ago" cart', 'Commits by their message'],
  ['type:diff removed cart', 'Added and removed lines'],
];

/** Help for somebody who has not asked anything yet. */
export const help = (): Content =>
  html`<section class="card stack">
    <div class="between">
      <h2>What you can ask</h2>
      <p class="quiet"><kbd>/</kbd> search <kbd>j</kbd> <kbd>k</kbd> through results <kbd>Enter</kbd> open</p>
    </div>
    <dl class="examples">
      ${examples.map(([query, meaning]) => html`<div><dt><a class="mono" href=${`/search?${new URLSearchParams({ q: query })}`}>${query}</a></dt><dd>${meaning}</dd></div>`)}
    </dl>
    <p class="quiet">In natural language, ask as you would ask a person: “where are expired carts removed”.</p>
  </section>`;
