export const frequencies = ['day', 'week', 'month'] as const;
export type Frequency = (typeof frequencies)[number];

/** Days in UTC, `YYYY-MM-DD`, both inclusive. */
export interface Days {
  readonly startDate: string;
  readonly endDate: string;
}

const dayMs = 86_400_000;
/** Periods that are sent after a time without any, the newest of them. */
const mostDue = 31;

/** The periods that ended before a time and after the last one that was sent, oldest first; the first time only the newest. */
export function duePeriods(every: Frequency, sentTo: string | undefined, now: number): Days[] {
  const due: Days[] = [];
  let next = startOf(every, now);
  for (let left = sentTo === undefined ? 1 : mostDue; left > 0; left -= 1) {
    const endDate = dayOf(next - dayMs);
    if (sentTo !== undefined && endDate <= sentTo) break;
    const start = startOf(every, next - dayMs);
    due.unshift({ startDate: dayOf(start), endDate });
    next = start;
  }
  return due;
}

/** Midnight at which the period of a time began. */
function startOf(every: Frequency, time: number): number {
  const day = new Date(time);
  day.setUTCHours(0, 0, 0, 0);
  if (every === 'month') day.setUTCDate(1);
  if (every === 'week') day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.getTime();
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
