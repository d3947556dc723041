import type { OverviewRequest, Span } from '@sextant/contracts';
import { maxSpans } from '@sextant/contracts';
import { SextantError } from '@sextant/core';

/** Days of one span within a period, both inclusive. */
export interface SpanDays {
  readonly first: string;
  readonly last: string;
}

/** The spans of a period in their order; the first and the last may be cut by it. Throws `invalid_argument` for too many. */
export function spansOf({ startDate, endDate, span }: OverviewRequest): SpanDays[] {
  const spans: SpanDays[] = [];
  for (let first = startDate; first <= endDate; ) {
    if (spans.length === maxSpans)
      throw new SextantError(
        'invalid_argument',
        `the period has more than ${maxSpans} ${span}s; choose a shorter one or longer spans`,
      );
    const next = nextSpan(first, span);
    const last = addDays(next, -1);
    spans.push({ first, last: last < endDate ? last : endDate });
    first = next;
  }
  return spans;
}

function nextSpan(day: string, span: Span): string {
  if (span === 'day') return addDays(day, 1);
  const date = new Date(`${day}T00:00:00Z`);
  // Sunday is 0; weeks begin on Monday.
  if (span === 'week') return addDays(day, 7 - ((date.getUTCDay() + 6) % 7));
  return toDay(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
}

export const addDays = (day: string, days: number): string => toDay(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000);

const toDay = (time: number): string => new Date(time).toISOString().slice(0, 10);
