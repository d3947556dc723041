import { timeOf } from './time-of-day.ts';

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const fullMonths = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const monthName = String.raw`([a-z]{3,9})\.?`;
const dayNumber = String.raw`(\d{1,2})(?:st|nd|rd|th)?`;
const separator = String.raw`(?:\s+|\s*,\s*|[-/])`;

/** The day with its parts in the order of `parts`, and behind it, if anything, the time. */
const forms: readonly { pattern: RegExp; parts: readonly ('year' | 'month' | 'day')[] }[] = [
  { pattern: form(String.raw`(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})`), parts: ['year', 'month', 'day'] },
  {
    pattern: form(`${monthName}${separator}${dayNumber}${separator}${String.raw`(\d{4})`}`),
    parts: ['month', 'day', 'year'],
  },
  {
    pattern: form(`${dayNumber}${separator}${monthName}${separator}${String.raw`(\d{4})`}`),
    parts: ['day', 'month', 'year'],
  },
  { pattern: form(`${monthName}${separator}${String.raw`(\d{4})`}`), parts: ['month', 'year'] },
];

function form(day: string): RegExp {
  return new RegExp(`^${day}(?:(?:t|,?\\s+)(.+))?$`);
}

/** Seconds since 1970 of a date that does not depend on now; undefined for another text and for a day that does not exist. */
export function absoluteDate(text: string): number | undefined {
  const epoch = /^@(\d{1,11})$/.exec(text)?.[1];
  if (epoch !== undefined) return Number(epoch);
  const plain = text.replace(/^(?:mon|tue|tues|wed|wednes|thu|thurs|fri|sat|satur|sun)(?:day)?,?\s+(?=.*\d{4})/, '');
  for (const { pattern, parts } of forms) {
    const match = pattern.exec(plain);
    if (!match) continue;
    const values = Object.fromEntries(parts.map((part, index) => [part, match[index + 1] ?? '']));
    const time = timeOf(match[parts.length + 1]);
    const day = dayOf({ year: values['year'] ?? '', month: values['month'] ?? '', day: values['day'] ?? '1' });
    if (day !== undefined && time !== undefined) return day + time;
  }
  return undefined;
}

function dayOf({ year, month, day }: { year: string; month: string; day: string }): number | undefined {
  const monthNumber = /^\d/.test(month) ? Number(month) : monthOf(month);
  const date = new Date(Date.UTC(Number(year), monthNumber - 1, Number(day)));
  date.setUTCFullYear(Number(year));
  // A day that does not exist becomes one of the next month.
  if (date.getUTCMonth() !== monthNumber - 1 || date.getUTCDate() !== Number(day)) return undefined;
  return date.getTime() / 1000;
}

/** From 1; 0 for what is no month. */
function monthOf(name: string): number {
  const short = months.indexOf(name.slice(0, 3));
  return short >= 0 && (fullMonths[short] ?? '').startsWith(name) ? short + 1 : 0;
}
