import type { Commit, FoundDiff, FoundHistory } from '@sextant/contracts';
import { ago, count, emptyState, escapeText, html, markedLine, notice, withCode } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { moreLink } from './more-link.ts';
import type { View } from './page.ts';

/** Commits or hunks, the newest first. */
export function historyResults(
  view: View,
  { found, milliseconds }: { found: FoundHistory; milliseconds: number },
): Content {
  const { notes, totalCount, isLimited, results } = found;
  const what = found.type === 'commit' ? count(totalCount, 'commit') : count(totalCount, 'change');
  return html`<p class="quiet" role="status">${what}${isLimited && ' or more'} in ${Math.max(1, Math.round(milliseconds))} ms</p>
    ${notes.map((note) => notice('info', note))} ${results.length === 0 && emptyState('Nothing was found.')}
    ${found.type === 'commit' ? commits(view, found.results) : diffs(view, found.results)}
    ${isLimited && moreLink(view.asked, results.length)}`;
}

const commits = (view: View, results: readonly Commit[]): Content =>
  results.length > 0 &&
  html`<ul class="panel commits">
    ${results.map((commit) => html`<li><div>${link(view, commit, commit.title)}<br /><span class="quiet">${commit.repo} · ${commit.author.name}, ${ago(commit.date)}</span></div></li>`)}
  </ul>`;

const diffs = (view: View, results: readonly FoundDiff[]): Content =>
  html`<ol class="results">
    ${results.map(
      (diff) => html`<li>
        <article class="panel change">
          <div class="panel-bar">
            <h2>${link(view, diff, diff.path)}</h2>
            <span class="quiet actions">${diff.repo} · ${diff.title} · ${diff.author.name}, ${ago(diff.date)}</span>
          </div>
          <div class="diff" role="group" tabindex="0" aria-label=${`Change of ${diff.path}`}>
            <table dangerouslySetInnerHTML=${{ __html: `<tbody>${rows(diff)}</tbody>` }}></table>
          </div>
        </article>
      </li>`,
    )}
  </ol>`;

const link = ({ links }: View, { repo, commit }: Commit, text: string): Content =>
  html`<a class="strong" href=${new URL(links.commit(repo, commit)).pathname} data-result>${text === '' ? commit.slice(0, 12) : withCode(text)}</a>`;

const classes: Readonly<Record<string, string>> = { '+': ' class=add', '-': ' class=del', '@': ' class=hunk' };

/** The lines of a hunk as markup, with what was looked for marked. */
function rows({ hunk, matchRanges }: FoundDiff): string {
  const ranges = Map.groupBy(matchRanges, ({ line }) => line);
  const row = (line: string, index: number): string => {
    const marks = (ranges.get(index + 1) ?? []).map(({ start, end }) => [start, end] as const);
    const markup = marks.length > 0 ? markedLine(line, marks) : escapeText(line);
    return `<tr${classes[line[0] ?? ''] ?? ''}><td><code>${markup}\n</code></td></tr>`;
  };
  return hunk.split('\n').map(row).join('');
}
