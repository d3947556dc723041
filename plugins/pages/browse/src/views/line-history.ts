import type { BlamedLine, LineChange, LineTrace } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import { ago, count, fragmentResponse, html, htmlResponse, linkButton, notice, withCode } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { browseModule } from '../assets.ts';
import { againAddress, hunksTable, isColouredPart } from '../render/diff.ts';
import type { Shown } from '../render/diff.ts';
import { heading } from '../render/heading.ts';
import { Remembered } from '../remembered.ts';
import { commitOf, linesQuery, linkTo, within } from '../visit.ts';
import type { Visit } from '../visit.ts';

const mostChanges = 30;
/** Milliseconds that a page waits for the whole history; a script asks for a later one. */
const waitMs = 1000;

type Range = readonly [startLine: number, endLine: number];

const known = new Remembered<LineTrace | { readonly refusal: string }>(200);

/** What commits changed of some lines of a file, newest first, through its renames. */
export async function showLineHistory(visit: Visit, lines: Range): Promise<Response> {
  const path = visit.address.rest;
  const [startLine, endLine] = lines;
  const commit = await commitOf(visit);
  const trace = traceOf(visit, commit, lines);
  if (visit.query.get('part') === 'history' || isColouredPart(visit))
    return fragmentResponse(html`<section>${await changesOf(visit, await trace)}</section>`);
  const soon = await within(waitMs, trace);
  const body = soon
    ? html`<section>${await changesOf(visit, soon)}</section>`
    : html`<section data-part=${`${linkTo(visit, 'commits', path)}${linesQuery(...lines)}&part=history`}>
        ${notice('info', html`These are the commits that the lines come from. Older changes of them are being looked for. <noscript><a href=${linkTo(visit, 'commits', path) + linesQuery(...lines)}>Show them</a></noscript>`)}
        ${await lastChanges(visit, commit, lines)}
      </section>`;
  const title = startLine === endLine ? `line ${startLine}` : `lines ${startLine}–${endLine}`;
  return htmlResponse({
    ...visit.frame,
    modules: [browseModule.path],
    title: `History of ${title} of ${path}`,
    body: html`${heading(visit, path, {
      title: `History of ${title}`,
      actions: [
        linkButton('The lines', linkTo(visit, 'blob', path) + linesQuery(...lines), { kind: 'plain', isSmall: true }),
        linkButton('History of the file', linkTo(visit, 'commits', path), { kind: 'plain', isSmall: true }),
      ],
    })}
      ${body}`,
  });
}

function traceOf(visit: Visit, commit: string, [startLine, endLine]: Range) {
  const { repository, address } = visit;
  const request = { commit, path: address.rest, startLine, endLine, limit: mostChanges };
  const key = [repository.info.name, commit, address.rest, `${startLine}-${endLine}`];
  return known.find(key, async (signal) => {
    try {
      return await repository.trace(request, signal);
    } catch (error) {
      if (!isSextantError(error)) throw error;
      return { refusal: error.message };
    }
  });
}

async function changesOf(visit: Visit, trace: Awaited<ReturnType<typeof traceOf>>): Promise<Content> {
  if (!trace) return notice('warning', 'The history of these lines takes too long to be followed.');
  if ('refusal' in trace) return notice('warning', trace.refusal);
  const { changes, hasMore, isCut } = trace;
  const shown = await Promise.all(changes.map((change) => changeOf(visit, change)));
  return html`<div class="stack" data-coloured=${againAddress(visit, shown)}>
    ${shown.map(({ body }) => body)}
    ${hasMore && older(visit, changes.at(-1))}
    ${isCut && notice('info', 'Older changes are not known: the server has only the later part of the history (a shallow clone).')}
  </div>`;
}

async function changeOf(visit: Visit, { commit, author, title, path, hunks }: LineChange): Promise<Shown> {
  const link = linkTo(visit, 'commit', { path: commit, revision: '' });
  const at = (view: 'blob' | 'blame' | 'lines'): string => linkTo(visit, view, { path, revision: commit });
  const places = { file: at('blob'), blame: at('blame'), lines: at('lines') };
  const isSplit = visit.query.get('view') === 'split';
  const table = await hunksTable(visit, {
    path,
    hunks,
    isSplit,
    isRange: true,
    places,
    texts: { after: { commit, path } },
  });
  const body = html`<section class="panel change" aria-label=${title}>
    <div class="panel-bar">
      <span class="subject"><a class="strong" href=${link}>${title === '' ? 'No message' : withCode(title)}</a> <span class="quiet">${author.name}, ${ago(author.date)}</span></span>
      ${path !== visit.address.rest && html`<code>${path}</code>`}
      <a class="mono" href=${link} aria-label=${`Commit ${commit.slice(0, 12)}`}>${commit.slice(0, 12)}</a>
      ${beforeLink(visit, { commit, path, line: hunks[0]?.oldStart ?? 1 })}
    </div>
    ${table.body}
  </section>`;
  return { ...table, body };
}

const beforeLink = (visit: Visit, { commit, path, line }: { commit: string; path: string; line: number }): Content =>
  html`<a href=${linkTo(visit, 'blame', { path, query: { before: commit, line: String(line) } })} rel="nofollow">Before this change</a>`;

/** The lines go on from the last change that is shown. */
function older(visit: Visit, last: LineChange | undefined): Content {
  const [hunk] = last?.hunks ?? [];
  if (!last || !hunk) return undefined;
  const lines = linesQuery(hunk.newStart, hunk.newStart + hunk.newLines - 1);
  return html`<p><a href=${linkTo(visit, 'commits', { path: last.path, revision: last.commit }) + lines}>Older changes</a></p>`;
}

/** Of each line the last change: this is known at once. */
async function lastChanges(visit: Visit, commit: string, [startLine, endLine]: Range): Promise<Content> {
  const { repository, address, call } = visit;
  const blamed = await repository.blame({ commit, path: address.rest, startLine, endLine }, call.signal);
  const groups = [...Map.groupBy(blamed, (line) => line.commit).values()].toSorted((a, b) =>
    (a[0]?.author.date ?? '') < (b[0]?.author.date ?? '') ? 1 : -1,
  );
  return html`<ul class="panel commits">${groups.map((lines) => html`<li>${lastChange(visit, lines)}</li>`)}</ul>`;
}

function lastChange(visit: Visit, lines: readonly BlamedLine[]): Content {
  const [first] = lines;
  if (!first) return undefined;
  const { commit, title, author, line, isCut } = first;
  const link = linkTo(visit, 'commit', { path: commit, revision: '' });
  return html`<div>
      <a class="strong" href=${link}>${title === '' ? 'No message' : withCode(title)}</a><br />
      <span class="quiet">${isCut ? 'This commit or an older one' : `${author.name}, ${ago(author.date)}`}, ${count(lines.length, 'line')} of these</span>
    </div>
    <div class="actions">
      <a class="mono" href=${link} aria-label=${`Commit ${commit.slice(0, 12)}`}>${commit.slice(0, 12)}</a>
      ${beforeLink(visit, { commit, path: visit.address.rest, line })}
    </div>`;
}
