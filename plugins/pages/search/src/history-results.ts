import type { Commit, FoundDiff, FoundHistory } from '@sextant/contracts';
import { ago, count, escapeText, html, markedLine, markedMarkup, noteList, withCode } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { againAddress, coloured } from './coloured.ts';
import type { Coloured } from './coloured.ts';
import { nothingFound } from './nothing.ts';
import type { View } from './page.ts';
import { csvLink, moreLink } from './result-links.ts';

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
  const more = found.results.length > 0 ? ' or more' : ' in what was read';
  return html`<div class="between quiet"><p role="status">${what}${isLimited && more} · ${Math.max(1, Math.round(milliseconds))} ms</p>${found.results.length > 0 && csvLink(view.asked)}</div>
    ${noteList(notes, found.results.length > 0)} ${found.results.length === 0 && nothingFound(view.asked, notes)}
    ${found.type === 'commit' ? commits(view, found.results.slice(0, show)) : await diffs(view, found.results.slice(0, show))}
    ${hasMore && found.results.length > 0 && moreLink(view.asked, Math.min(show, found.results.length))}`;
}

const commits = (view: View, results: readonly Commit[]): Content =>
  results.length > 0 &&
  html`<ul class="panel commits">
    ${results.map((commit) => html`<li><div>${link(view, commit, commit.title)}<br /><span class="quiet">${commit.repo} · ${commit.author.name}, ${ago(commit.date)}</span></div></li>`)}
  </ul>`;

/** The hunks of a commit stand together, those of a file below its path. */
async function diffs(view: View, results: readonly FoundDiff[]): Promise<Content> {
  const shown = await Promise.all(
    results.map(async (diff, index) => ({ diff, sides: await sidesOf(diff, view, index < mostRead) })),
  );
  const ofCommits = Map.groupBy(shown, ({ diff: { repo, commit } }) => `${repo} ${commit}`);
  const again = againAddress(
    view,
    shown.flatMap(({ sides }) => sides),
  );
  return html`<ol class="results" data-coloured=${again}>
    ${[...ofCommits.values()].map((ofCommit) => html`<li>${changeOf(view, ofCommit)}</li>`)}
  </ol>`;
}

type ShownHunk = { readonly diff: FoundDiff; readonly sides: readonly Side[] };

function changeOf(view: View, hunks: readonly ShownHunk[]): Content {
  const [first] = hunks;
  if (!first) return undefined;
  const { diff } = first;
  const ofFiles = [...Map.groupBy(hunks, ({ diff: { path } }) => path)];
  return html`<article class="panel change">
    <div class="panel-bar">
      <h2>${link(view, diff, diff.title)}</h2>
      <span class="quiet actions">${diff.repo} · ${diff.author.name}, ${ago(diff.date)}</span>
    </div>
    ${ofFiles.map(
      ([path, ofFile]) => html`<h3 class="mono">${path}</h3>
      <div class="diff" role="group" tabindex="0" aria-label=${`Change of ${path}`}>
        <table dangerouslySetInnerHTML=${{ __html: `<tbody>${ofFile.map((hunk) => rows(hunk, view)).join('')}</tbody>` }}></table>
      </div>`,
    )}
  </article>`;
}

const link = ({ links }: View, { repo, commit }: Commit, text: string): Content =>
  html`<a class="strong" href=${new URL(links.commit(repo, commit)).pathname} data-result>${text === '' ? commit.slice(0, 12) : withCode(text)}</a>`;

const classes: Readonly<Record<string, string>> = { '+': ' class=add', '-': ' class=del' };

/** The lines of a hunk as markup, with their numbers, and with what was looked for marked. The marker before a line is no code. */
function rows({ diff, sides }: ShownHunk, { links }: View): string {
  const ranges = Map.groupBy(diff.matchRanges, ({ line }) => line);
  const { heading, lines, starts } = piecesOf(diff.hunk);
  const codes = new Map(sides.flatMap(({ indexes, markup = [] }) => markup.map((code, at) => [indexes[at], code])));
  const [numbersBefore, numbersAfter] = (['-', '+'] as const).map((marker) => {
    const page = new URL(links.file(fileOf(diff, marker))).pathname;
    let next = starts[marker];
    return lines.map((line) => {
      if (next === undefined || !isOn(marker, line)) return '<td></td>';
      return `<td><a href="${escapeText(page)}?L${next}" tabindex=-1>${next++}</a></td>`;
    });
  });
  const row = (line: string, index: number): string => {
    const marks = (ranges.get(index + 2) ?? []).map(({ start, end }) => [start, end] as const);
    const code = codes.get(index);
    const markup =
      code === undefined ? markedLine(line, marks) : markedMarkup(escapeText(line.slice(0, 1)) + code, marks);
    return `<tr${classes[line[0] ?? ''] ?? ''}>${numbersBefore?.[index]}${numbersAfter?.[index]}<td><code>${markup}\n</code></td></tr>`;
  };
  return `<tr class=hunk><td colspan=3><code>${escapeText(heading)}\n</code></td></tr>${lines.map(row).join('')}`;
}

/** A side of a change: the file before it, or after it. */
type Marker = '-' | '+';

const isOn = (marker: Marker, line: string): boolean => line.startsWith(marker) || line.startsWith(' ');

const fileOf = ({ repo, commit, path }: FoundDiff, marker: Marker) => ({
  repo,
  path,
  revision: marker === '-' ? `${commit}~1` : commit,
});

/** Stands for lines that were cut off, before or after the others. */
const cutNote = /^\[(\d+) lines of this hunk are not shown\]$/;

/** A hunk, with the number of its first line on each side; undefined where that cannot be told. */
function piecesOf(hunk: string) {
  const [heading = '', ...lines] = hunk.split('\n');
  const [, before, beforeLines = 1, after, afterLines = 1] =
    /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))?/.exec(heading) ?? [];
  const cut = Number(cutNote.exec(lines[0] ?? '')?.[1] ?? 0);
  const isOpenEnded = cutNote.test(lines.at(-1) ?? '');
  const startOf = (marker: Marker, first: string | undefined, [count, others]: readonly [number, number]) => {
    if (first === undefined) return undefined;
    if (cut === 0) return Number(first);
    // What was cut off was of this side alone.
    if (others === 0) return Number(first) + cut;
    return isOpenEnded ? undefined : Number(first) + count - lines.filter((line) => isOn(marker, line)).length;
  };
  const counts = [Number(beforeLines), Number(afterLines)] as const;
  const starts = { '-': startOf('-', before, counts), '+': startOf('+', after, [counts[1], counts[0]]) };
  return { heading, lines, starts };
}

/** The lines of a hunk as they were before, or are after, by their indexes. */
interface Side extends Coloured {
  readonly indexes: readonly number[];
}

/** Each is coloured by itself, as in the file before or after the change. */
async function sidesOf(diff: FoundDiff, view: View, isRead: boolean): Promise<Side[]> {
  const { path } = diff;
  const { lines, starts } = piecesOf(diff.hunk);
  const markers = (['-', '+'] as const).filter((marker) => lines.some((line) => line.startsWith(marker)));
  return Promise.all(
    markers.map(async (marker) => {
      const ofSide = [...lines.entries()].filter(([, line]) => isOn(marker, line));
      const startLine = starts[marker];
      const read = () => view.read(fileOf(diff, marker));
      const whole = isRead && startLine !== undefined && { whole: { startLine, read } };
      const piece = { path, lines: ofSide.map(([, line]) => line.slice(1)), ...whole };
      return { indexes: ofSide.map(([index]) => index), ...(await coloured(view, piece)) };
    }),
  );
}
