import { html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { addressOf, mostFilesOnPage } from './asked.ts';
import type { Asked } from './asked.ts';

/** A way to more of the same. */
export const moreLink = (asked: Asked, shown: number): Content =>
  shown < mostFilesOnPage &&
  html`<p class="more"><a class="button" href=${addressOf(asked, { show: Math.min(mostFilesOnPage, shown * 4) })}>Show more</a></p>`;

/** How a query for files was read, with the way to the other reading. */
export function readingLink(asked: Asked): Content {
  if (asked.mode === 'natural')
    return html`<span>Answered as a question. <a href=${addressOf(asked, { mode: 'keyword' })}>Search these words instead</a></span>`;
  return /\s/.test(asked.query) && html`<a href=${addressOf(asked, { mode: 'natural' })}>Answer as a question</a>`;
}

/** The way to the reasons for the order of the results, and back. */
export const whyLink = (asked: Asked): Content =>
  html`<a href=${addressOf(asked, { explains: !asked.explains })}>${asked.explains ? 'Hide the reasons' : 'Why this order'}</a>`;

/** The results as a file. */
export const csvLink = (asked: Asked): Content =>
  html`<a href=${addressOf(asked, { format: 'csv', explains: false })} download>Save as CSV</a>`;
