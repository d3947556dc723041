import type { Tally } from '@sextant/contracts';

/** `12,345`. */
export const number = (value: number): string => value.toLocaleString('en');

const short = new Intl.NumberFormat('en', {
  notation: 'compact',
  maximumFractionDigits: 1,
});

/** `12.3K`, for an axis. */
export const compact = (value: number): string => (Number.isInteger(value) ? short.format(value) : '');

/** Milliseconds as people say them: `0.8 ms`, `140 ms`, `2.5 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds >= 1000) return `${trimmed(milliseconds / 1000)} s`;
  return `${milliseconds < 10 ? trimmed(milliseconds) : Math.round(milliseconds)} ms`;
}

/** `3.1%`; of nothing it is none. */
export const percent = (part: number, whole: number): string => `${trimmed(whole === 0 ? 0 : (part / whole) * 100)}%`;

/** Undefined numbers leave a gap in a chart. */
export const meanTime = ({ calls, milliseconds }: Tally): number => (calls === 0 ? Number.NaN : milliseconds / calls);

const trimmed = (value: number): string => String(Math.round(value * 10) / 10);

/** `+12%`; of nothing before there is no share. */
export function changeOf(now: number, before: number): string | undefined {
  if (before === 0) return now === 0 ? undefined : 'none before';
  const share = Math.round(((now - before) / before) * 100);
  return share === 0 ? 'as before' : `${share > 0 ? '+' : '−'}${number(Math.abs(share))}%`;
}
