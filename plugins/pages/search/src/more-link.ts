import { html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { addressOf, mostFilesOnPage } from './asked.ts';
import type { Asked } from './asked.ts';

/** A way to more of the same. */
export const moreLink = (asked: Asked, shown: number): Content =>
  shown < mostFilesOnPage &&
  html`<p class="more"><a class="button" href=${addressOf(asked, { show: Math.min(mostFilesOnPage, shown * 4) })}>Show more</a></p>`;
