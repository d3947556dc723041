import { oneLine } from '@sextant/core';
import { html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { linkTo } from '../visit.ts';
import type { Visit } from '../visit.ts';

/** The place of a page: the repository, the folders above, and the revision with a way to another one. */
export function heading(visit: Visit, path: string, actions?: Content): Content {
  const { address } = visit;
  const parts = path === '' ? [] : path.split('/');
  const here = parts.at(-1) ?? address.repo;
  const folders = parts.slice(0, -1).map((title, index) => ({
    title: oneLine(title),
    path: linkTo(visit, 'tree', parts.slice(0, index + 1).join('/')),
  }));
  const above = parts.length === 0 ? [] : [{ title: address.repo, path: linkTo(visit, 'tree', '') }, ...folders];
  return html`<div class="place" data-files=${visit.services.search && linkTo(visit, 'files', '')}>
    <div class="crumbs">
      ${above.length > 0 && html`<nav aria-label="Path">${above.map(({ title, path }) => html`<a href=${path}>${title}</a><span aria-hidden="true">/</span>`)}</nav>`}
      <h1>${oneLine(here)}</h1>
    </div>
    <div class="actions">${actions}${visit.address.view !== 'commit' && revisionLink(visit, path)}</div>
  </div>`;
}

const revisionLink = (visit: Visit, path: string): Content =>
  html`<a class="revision" href=${linkTo(visit, 'refs', path)} title="Choose another branch or tag (b)" data-refs>
    ${branchMark}<span>${shortRevision(visit.address.revision ?? visit.repository.info.defaultBranch)}</span>
  </a>`;

/** A full hash is longer than anyone reads. */
export const shortRevision = (revision: string): string =>
  /^[0-9a-f]{40,64}$/.test(revision) ? revision.slice(0, 12) : revision || 'HEAD';

const branchMark = html`<svg width="14" height="14" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.6" aria-hidden="true">
  <circle cx="4.5" cy="3.5" r="1.75" /><circle cx="4.5" cy="12.5" r="1.75" /><circle cx="11.5" cy="5.5" r="1.75" />
  <path d="M4.5 5.25v5.5M11.5 7.25c0 2.5-7 1.5-7 3.5" />
</svg>`;
