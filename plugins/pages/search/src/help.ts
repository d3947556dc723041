import { filterPattern, filters } from '@sextant/contracts';
import { html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';

type Example = readonly [query: string, meaning: string];

const examplesFor = (repo: string | undefined): readonly Example[] => [
  ['error timeout', 'Both words in one file, in any case'],
  ['"exact phrase" OR /retry\\(\\d+\\)/', 'A phrase, or a regular expression'],
  ...(repo === undefined ? [] : inRepository(`repo:^${filterPattern(repo)}$`)),
  ['lang:go func main', 'In one language'],
  ['type:path config', 'Names of files; type:repo for names of repositories'],
  ['type:commit after:"2 weeks ago" fix', 'Commits by their message'],
  ['type:diff removed TODO', 'Added and removed lines'],
];

const inRepository = (filter: string): readonly Example[] => [
  [`${filter} -file:test config`, 'In some repositories and files, and not in others'],
  [`${filter}@HEAD~1 config`, 'At a branch, a tag or a commit'],
];

/** Help for somebody who has not asked anything yet, with a repository that they may read. */
export const help = (repo: string | undefined): Content =>
  html`<section class="card stack">
    <div class="between">
      <h2>What you can ask</h2>
      <p class="quiet"><kbd>/</kbd> search <kbd>j</kbd> <kbd>k</kbd> through results <kbd>Enter</kbd> open</p>
    </div>
    <dl class="examples">
      ${examplesFor(repo).map(([query, meaning]) => html`<div><dt><a class="mono" href=${`/search?${new URLSearchParams({ q: query })}`}>${query}</a></dt><dd>${meaning}</dd></div>`)}
    </dl>
    <details>
      <summary>All filters</summary>
      <dl class="examples">
        ${Object.values(filters).map(({ aliases, help: meaning }) => html`<div><dt class="mono">${aliases.map((alias) => `${alias}:`).join(' ')}</dt><dd>${meaning}</dd></div>`)}
      </dl>
    </details>
    <p class="quiet">Or ask as you would ask a person: <a href="/search?q=where+are+connections+closed%3F">where are connections closed?</a></p>
  </section>`;
