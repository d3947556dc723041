import type { VNode } from 'preact';
import type { Content } from './content.ts';
import { html } from './html.ts';
import type { Link } from './page.ts';

export interface Tab extends Link {
  readonly isCurrent: boolean;
}

/** Links between views of one thing. `label` says of what, for those who cannot see it. */
export const tabs = (label: string, items: readonly Tab[]): VNode =>
  html`<nav class="tabs" aria-label=${label}>
    ${items.map(({ title, path, isCurrent }) => html`<a href=${path} aria-current=${isCurrent ? 'page' : undefined}>${title}</a>`)}
  </nav>`;

/** The way from the root to what the page shows; the last one is where one is. */
export const breadcrumbs = (links: readonly Link[], here: string): VNode =>
  html`<nav class="crumbs" aria-label="Path">
    ${links.map(({ title, path }) => html`<a href=${path}>${title}</a><span aria-hidden="true">/</span>`)}
    <strong aria-current="location">${here}</strong>
  </nav>`;

export interface Pages {
  /** Of the page before and the page after, where there is one. */
  previous?: string | undefined;
  next?: string | undefined;
  /** What stands between the two: `51–100 of 312`. */
  position?: Content;
}

/** Links through what does not fit one page; nothing where it does. */
export function pagination({ previous, next, position }: Pages): VNode | undefined {
  if (previous === undefined && next === undefined) return undefined;
  return html`<nav class="pagination" aria-label="More results">
    ${link('Previous', previous, 'prev')}<span class="quiet">${position}</span>${link('Next', next, 'next')}
  </nav>`;
}

const link = (text: string, path: string | undefined, rel: string): VNode =>
  path === undefined
    ? html`<span class="button plain" aria-disabled="true">${text}</span>`
    : html`<a class="button plain" href=${path} rel=${rel}>${text}</a>`;
