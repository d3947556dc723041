import { oneLine } from '@sextant/core';
import { html, htmlResponse, tabs } from '@sextant/library-ui';
import type { Content, Tab } from '@sextant/library-ui';
import { browseModule } from '../assets.ts';
import type { ShownFile } from '../views/blob.ts';
import { linesQuery, linkTo, markedLines } from '../visit.ts';
import { fileTree } from './file-tree.ts';
import { heading } from './heading.ts';
import { side } from './outline.ts';
import type { KnownOutline } from './outline.ts';

export interface FileContent {
  body: Content;
  /** Short words about it: its lines, its size. */
  facts?: readonly string[];
  /** Other ways to see it. */
  tabs?: readonly Tab[];
  /** Where its lines are shown: what they define. */
  outline?: KnownOutline;
}

/** A file with its place, what can be done with it, and what it defines. */
export async function filePage(shown: ShownFile, content: FileContent): Promise<Response> {
  const { visit, path, commit } = shown;
  const { outline = 'none', facts = [] } = content;
  const tree = await fileTree(visit, commit, path);
  return htmlResponse({
    ...visit.frame,
    title: `${oneLine(path)} · ${visit.address.repo}`,
    modules: [browseModule.path],
    body: html`${heading(visit, path, { actions: facts.length > 0 && html`<span class="quiet facts-of-file">${facts.join(' · ')}</span>` })}
      <div class=${typeof outline === 'string' ? 'file' : 'file with-side'}>
        ${tree}
        <div class="panel">${bar(shown, content)} ${content.body}</div>
        ${side(outline, visit)}
      </div>`,
  });
}

function bar(shown: ShownFile, { tabs: views, outline }: FileContent): Content {
  const { visit, path } = shown;
  return html`<div class="panel-bar">
    ${views && tabs('Ways to see the file', views)}
    <span class="path"><code id="file-path">${path}</code><button class="button small plain" type="button" data-copy="file-path" aria-label="Copy path" hidden>Copy</button></span>
    <div class="actions">
      ${outline !== undefined && linesTools(shown)}
      <a class="button small" href=${linkTo(visit, 'raw', path)}>Raw</a>
      ${history(shown)}
      ${permalink(shown)}
    </div>
    ${outline !== undefined && findBar}
  </div>`;
}

/** What can be done with lines; all but the first needs a script. */
const linesTools = (shown: ShownFile): Content =>
  html`${goToLine(shown)}
    <button class="button small" type="button" data-open-find hidden title="Find in the file (f)">Find</button>
    <button class="button small" type="button" data-wrap aria-pressed="false" hidden title="Wrap long lines (w)">Wrap</button>`;

const findBar = html`<form class="find" data-find role="search" hidden>
  <input type="text" aria-label="Find in the file" placeholder="Find in the file" autocapitalize="none" autocomplete="off" spellcheck="false" />
  <output class="quiet"></output>
  <button class="button small" type="button" data-step="-1" aria-label="Previous place">↑</button>
  <button class="button small" type="button" data-step="1" aria-label="Next place">↓</button>
  <button class="button small" type="button" data-close aria-label="Close">✕</button>
</form>`;

/** Of the lines that are marked, else of the file. */
function history({ visit, path }: ShownFile): Content {
  const link = linkTo(visit, 'commits', path);
  const lines = markedLines(visit.search);
  return html`<a class="button small" href=${lines ? link + linesQuery(...lines) : link} data-with-lines=${link} title="History of the file, or of the lines that are chosen">History</a>`;
}

const goToLine = ({ visit, path }: ShownFile): Content =>
  html`<form class="go-to" action=${linkTo(visit, 'blob', path)}>
    <input name="line" inputmode="numeric" pattern="[0-9]*" aria-label="Go to line" placeholder="Line" />
  </form>`;

/** The same file at the commit that is shown: it means the same for ever. */
function permalink({ visit, commit, path }: ShownFile): Content {
  const link = linkTo(visit, 'blob', { path: path, revision: commit });
  const query = markedLines(visit.search) === undefined ? '' : visit.search;
  return html`<a class="button small" href=${link + query} data-permalink=${link} title="The file as it is now, for ever (y)">Permalink</a>`;
}
