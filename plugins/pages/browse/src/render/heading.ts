import { oneLine } from '@sextant/core';
import { html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { linkTo } from '../visit.ts';
import type { Visit } from '../visit.ts';

interface Around {
  /** What the page is of the place; absent: it is the place itself. */
  readonly title?: Content;
  readonly actions?: Content;
}

/** The place of a page: the repository, the folders above, and the revision with a way to another one. */
export function heading(visit: Visit, path: string, { title, actions }: Around = {}): Content {
  const { address } = visit;
  const parts = path === '' ? [] : path.split('/');
  const folders = parts.map((name, index) => ({
    name: oneLine(name),
    // What the last one is, its page tells.
    href: linkTo(visit, index === parts.length - 1 ? 'blob' : 'tree', parts.slice(0, index + 1).join('/')),
  }));
  const places = [{ name: address.repo, href: linkTo(visit, 'tree', '') }, ...folders];
  const above = title === undefined ? places.slice(0, -1) : places;
  return html`<div class="place" data-files=${visit.services.search && linkTo(visit, 'files', '')}>
    <div class="crumbs">
      ${above.length > 0 && html`<nav aria-label="Path">${above.map(({ name, href }) => html`<a href=${href}>${name}</a><span aria-hidden="true">/</span>`)}</nav>`}
      <h1>${title ?? places.at(-1)?.name}</h1>
    </div>
    <div class="actions">${actions}${!ofSeveral.has(address.view) && revisionLink(visit, path)}</div>
  </div>`;
}

/** Pages that name their commits themselves. */
const ofSeveral: ReadonlySet<string> = new Set(['commit', 'compare']);

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
