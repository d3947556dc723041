/** What was measured, the figure, what it is compared with, their ratio, and the aim. */
export type Row = readonly [what: string, measured: string, against: string, ratio: string, aim: string];

export const whole = (value: number): string => Math.round(value).toLocaleString('en');

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;
