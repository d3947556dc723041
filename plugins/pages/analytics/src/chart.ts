import type * as PlotModule from '@observablehq/plot';
import type { Markish, PlotOptions } from '@observablehq/plot';
import type { Series } from './series.ts';
import { shortSvg } from './short-svg.ts';

export interface Chart {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  /** What one would see, in a sentence. */
  readonly description: string;
  /** First days of the spans, in order. */
  readonly dates: readonly string[];
  /** The day after the last span. */
  readonly end: string;
  readonly series: readonly Series[];
  readonly kind: 'stacked' | 'line';
  /** How a value is said: `1,204 calls`. */
  say(value: number): string;
  /** How a value stands at the axis. */
  tick(value: number): string;
}

export interface Size {
  /** In pixels, as it is shown when there is room. */
  readonly width: number;
  readonly height: number;
}

interface Point {
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
  readonly middle: Date;
  readonly value: number;
}

type Plot = typeof PlotModule;

const dayMs = 24 * 3600 * 1000;

/** More columns would be thinner than what stands between them. */
const mostColumns = 62;

/** Draws a chart as SVG that takes its colours from the page and has no style of its own, which the policy forbids. */
export async function drawChart(chart: Chart, size: Size): Promise<string> {
  const { Plot, document } = await loadDrawing();
  const marks = [...marksOf(Plot, chart), Plot.ruleY([0], { stroke: 'var(--line-strong)' })];
  const svg = Plot.plot({ document, ...size, ...margins, ...scalesOf(chart, size), marks });
  svg.querySelector('style')?.remove();
  for (const name of ['font-family', 'font-size', 'class']) svg.removeAttribute(name);
  // The whole is one image with a name; names of its parts are of no use, and not allowed there.
  for (const part of svg.querySelectorAll('[aria-label]')) part.removeAttribute('aria-label');
  const id = `${chart.id}-${size.width}`;
  const name = (tag: 'title' | 'desc', text: string): void => {
    const element = document.createElementNS(svg.namespaceURI, tag);
    element.id = `${id}-${tag}`;
    element.textContent = text;
    svg.prepend(element);
  };
  name('desc', chart.description);
  name('title', chart.title);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-labelledby', `${id}-title`);
  svg.setAttribute('aria-describedby', `${id}-desc`);
  return shortSvg(svg.outerHTML);
}

export const margins = { marginLeft: 50, marginRight: 10, marginTop: 14, marginBottom: 34 };

const scalesOf = ({ dates, end, series, tick }: Chart, { width }: Size): Pick<PlotOptions, 'x' | 'y' | 'color'> => ({
  x: { type: 'utc', label: null, domain: [dateOf(dates[0]), dateOf(end)], ticks: ticksFor(dates, width) },
  y: { label: null, grid: true, ticks: 4, tickFormat: tick, zero: true, nice: true, tickSize: 0, ...domainOf(series) },
  color: { domain: series.map(({ name }) => name), range: series.map((_, at) => `var(--series-${at + 1})`) },
});

/** Weeks of Plot begin on Sundays, those of the columns on Mondays; there is room for the days of so many of them. */
function ticksFor(dates: readonly string[], width: number): number | 'monday' {
  const [, second, third] = dates;
  const isWeekly = third !== undefined && dateOf(third).getTime() - dateOf(second).getTime() === 7 * dayMs;
  return isWeekly && dates.length <= width / 34 ? 'monday' : Math.floor(width / 75);
}

/** Nothing but zeros has no extent of its own. */
const domainOf = (series: readonly Series[]): { domain?: number[] } =>
  series.some(({ values }) => values.some((value) => value > 0)) ? {} : { domain: [0, 1] };

function marksOf(Plot: Plot, chart: Chart): Markish[] {
  const points = pointsOf(chart);
  const title = ({ from, name, value }: Point): string =>
    `${from.toISOString().slice(0, 10)} · ${name}: ${chart.say(value)}`;
  if (chart.kind === 'line') {
    const channels = { x: 'middle', y: 'value', stroke: 'name' } as const;
    const dots = Plot.dot(points, {
      x: 'middle',
      y: 'value',
      fill: 'name',
      r: 2.5,
      title,
    });
    return [Plot.lineY(points, { ...channels, strokeWidth: 2 }), ...(chart.dates.length > mostColumns ? [] : [dots])];
  }
  if (chart.dates.length > mostColumns)
    return [
      Plot.areaY(points, {
        x: 'middle',
        y: 'value',
        fill: 'name',
        order: order(chart),
        curve: 'step',
      }),
    ];
  const columns = points.filter(({ value }) => value > 0);
  return [
    Plot.rectY(columns, {
      x1: 'from',
      x2: 'to',
      y: 'value',
      fill: 'name',
      order: order(chart),
      title,
      inset: 0.5,
    }),
  ];
}

const order = ({ series }: Chart): string[] => series.map(({ name }) => name);

function pointsOf({ dates, end, series }: Chart): Point[] {
  const times = [...dates, end].map(dateOf);
  return series.flatMap(({ name, values }) =>
    values.map((value, at) => {
      const [from = new Date(0), to = from] = [times[at], times[at + 1]];
      return {
        name,
        from,
        to,
        middle: new Date((from.getTime() + to.getTime()) / 2),
        value,
      };
    }),
  );
}

const dateOf = (day = ''): Date => new Date(`${day}T00:00:00Z`);

let loading: Promise<{ Plot: Plot; document: Document }> | undefined;

/** Loaded when the first chart is drawn: it takes as long as the start of the whole server. */
const loadDrawing = (): Promise<{ Plot: Plot; document: Document }> => (loading ??= load());

async function load(): Promise<{ Plot: Plot; document: Document }> {
  const [Plot, { parseHTML }] = await Promise.all([import('@observablehq/plot'), import('linkedom')]);
  return {
    Plot,
    document: parseHTML('<!doctype html><html><body></body></html>').document,
  };
}
