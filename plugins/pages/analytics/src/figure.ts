import { html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { drawChart, margins } from './chart.ts';
import type { Chart, Size } from './chart.ts';

/** What fits a third of the page and a phone, and what fits the whole page. */
const small: Size = { width: 330, height: 190 };
const large: Size = { width: 1040, height: 270 };

export interface Figure extends Chart {
  /** Over the whole width, where there is so much of it. */
  readonly isLarge?: boolean;
  /** Stands beside the title: the sum, a rate. */
  readonly total?: string;
}

/** A chart with its legend, and with its numbers in a table for those who cannot see it or want to know exactly. */
export async function figure(figure: Figure): Promise<Content> {
  const { id, title, total, series, isLarge = false } = figure;
  const sizes = isLarge ? [large, small] : [small];
  const drawings = await Promise.all(sizes.map((size) => drawChart(figure, size)));
  const classes = isLarge ? ['large', 'small'] : ['always'];
  return html`<section class=${`card chart ${isLarge ? 'whole' : id}`} data-end=${figure.end}>
    <div class="between"><h2>${title}</h2>${total !== undefined && html`<span class="quiet">${total}</span>`}</div>
    ${drawings.map((svg, at) => html`<div class=${`drawing ${classes[at]}`} ...${placeOf(sizes[at] ?? small)} dangerouslySetInnerHTML=${{ __html: svg }} />`)}
    ${series.length > 1 && legend(figure)} ${numbers(figure)}
  </section>`;
}

/** Where the script finds what the axes leave of a drawing. */
const placeOf = ({ width }: Size): Record<string, number> => ({
  'data-plot-left': margins.marginLeft,
  'data-plot-right': width - margins.marginRight,
  'data-plot-width': width,
});

/** Each leads to the page narrowed to it. */
const legend = ({ series }: Chart): Content =>
  html`<ul class="legend">
    ${series.map(({ name, path }, at) => html`<li><span class=${`swatch series-${at + 1}`} aria-hidden="true"></span>${path === undefined ? name : html`<a href=${path}>${name}</a>`}</li>`)}
  </ul>`;

const numbers = ({ title, dates, series, say }: Figure): Content =>
  html`<details>
    <summary>Numbers</summary>
    <div class="numbers" role="region" aria-label=${`${title}, numbers`} tabindex="0">
      <table>
        <thead><tr><th scope="col">From</th>${series.map(({ name }) => html`<th scope="col">${name}</th>`)}</tr></thead>
        <tbody>
          ${dates.map((date, at) => html`<tr><th scope="row">${date}</th>${series.map(({ values }) => html`<td>${said(values[at], say)}</td>`)}</tr>`)}
        </tbody>
      </table>
    </div>
  </details>`;

const said = (value: number | undefined, say: Chart['say']): string =>
  value === undefined || Number.isNaN(value) ? '–' : say(value);
