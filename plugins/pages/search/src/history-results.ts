import type { Commit, FoundDiff, FoundHistory } from '@sextant/contracts';
import { ago, count, escapeText, html, markedLine, markedMarkup, withCode } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { noteList } from './notes.ts';
import { nothingFound } from './nothing.ts';
import type { View } from './page.ts';
import { csvLink, moreLink } from './result-links.ts';

/** Milliseconds that a page waits for colours. */
const waitMs = 80;
/** Hunks of which the files are read whole for their colours. */
const mostRead = 20;

/** Commits or hunks, the newest first. */
export async function historyResults(
  view: View,
  { found, milliseconds }: { found: FoundHistory; milliseconds: number },
): Promise<Content> {
  const { notes, totalCount, isLimited } = found;
  const { show } = view.asked;
  const hasMore = isLimited || found.results.length > show;
  const what = found.type === 'commit' ? count(totalCount, 'commit') : count(totalCount, 'change');
  return html`<div class="between quiet"><p role="status">${what}${isLimited && ' or more'} in ${Math.max(1, Math.round(milliseconds))} ms</p>${found.results.length > 0 && csvLink(view.asked)}</div>
    ${noteList(notes)} ${found.results.length === 0 && nothingFound(view.asked, notes)}
    ${found.type === 'commit' ? commits(view, found.results.slice(0, show)) : await diffs(view, found.results.slice(0, show))}
    ${hasMore && moreLink(view.asked, Math.min(show, found.results.length))}`;
}

const commits = (view: View, results: readonly Commit[]): Content =>
  results.length > 0 &&
  html`<ul class="panel commits">
    ${results.map((commit) => html`<li><div>${link(view, commit, commit.title)}<br /><span class="quiet">${commit.repo} · ${commit.author.name}, ${ago(commit.date)}</span></div></li>`)}
  </ul>`;

async function diffs(view: View, results: readonly FoundDiff[]): Promise<Content> {
  const tables = await Promise.all(results.map((diff, index) => rows(diff, view, index < mostRead)));
  return html`<ol class="results">
    ${results.map(
      (diff, index) => html`<li>
        <article class="panel change">
          <div class="panel-bar">
            <h2>${link(view, diff, diff.path)}</h2>
            <span class="quiet actions">${diff.repo} · ${diff.title} · ${diff.author.name}, ${ago(diff.date)}</span>
          </div>
          <div class="diff" role="group" tabindex="0" aria-label=${`Change of ${diff.path}`}>
            <table dangerouslySetInnerHTML=${{ __html: `<tbody>${tables[index]}</tbody>` }}></table>
          </div>
        </article>
      </li>`,
    )}
  </ol>`;
}

const link = ({ links }: View, { repo, commit }: Commit, text: string): Content =>
  html`<a class="strong" href=${new URL(links.commit(repo, commit)).pathname} data-result>${text === '' ? commit.slice(0, 12) : withCode(text)}</a>`;

const classes: Readonly<Record<string, string>> = { '+': ' class=add', '-': ' class=del' };

/** The lines of a hunk as markup, with what was looked for marked. The marker before a line is no code. */
async function rows(diff: FoundDiff, view: View, isRead: boolean): Promise<string> {
  const ranges = Map.groupBy(diff.matchRanges, ({ line }) => line);
  const [heading = '', ...lines] = diff.hunk.split('\n');
  const coloured = await coloursOf(diff, view, isRead);
  const row = (line: string, index: number): string => {
    const marks = (ranges.get(index + 2) ?? []).map(({ start, end }) => [start, end] as const);
    const code = coloured.get(index);
    const markup =
      code === undefined ? markedLine(line, marks) : markedMarkup(escapeText(line.slice(0, 1)) + code, marks);
    return `<tr${classes[line[0] ?? ''] ?? ''}><td><code>${markup}\n</code></td></tr>`;
  };
  return `<tr class=hunk><td><code>${escapeText(heading)}\n</code></td></tr>${lines.map(row).join('')}`;
}

/** Colours of the lines of a hunk by their indexes, of each side by itself, as in the files before and after the change. */
async function coloursOf(
  { repo, commit, path, hunk }: FoundDiff,
  { colours, read }: View,
  isRead: boolean,
): Promise<Map<number, string>> {
  const [heading = '', ...lines] = hunk.split('\n');
  const [, before = '1', after = '1'] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(heading) ?? [];
  const sides = [
    { marker: '-', startLine: Number(before), revision: `${commit}~1` },
    { marker: '+', startLine: Number(after), revision: commit },
  ].filter(({ marker }) => lines.some((line) => line.startsWith(marker)));
  const markup = await Promise.all(
    sides.map(async ({ marker, startLine, revision }) => {
      const ofSide = [...lines.entries()].filter(([, line]) => line.startsWith(marker) || line.startsWith(' '));
      const texts = ofSide.map(([, line]) => line.slice(1));
      const whole = isRead && { whole: { startLine, read: () => read({ repo, revision, path }) } };
      const coloured = await colours?.markup({ path, lines: texts, ...whole }, waitMs);
      return (coloured ?? []).map((code, at) => [ofSide[at]?.[0] ?? -1, code] as const);
    }),
  );
  return new Map(markup.flat());
}
