/**
 * Seconds since 1970 of a date as RFC 3339, `2026-01-31` or users of git write it: `2 weeks ago`, `yesterday`,
 * `november 1 2019`. In UTC where it does not say otherwise; undefined for any other text.
 */
export function readDate(text: string, now: Date): number | undefined {
  const words = text.trim().toLowerCase();
  return words.length > 100 ? undefined : (absoluteDate(words) ?? relativeDate(words, now));
}

const months = 'january february march april may june july august september october november december'.split(' ');
const monthName = String.raw`([a-z]{3,9})\.?`;
const dayNumber = String.raw`(\d{1,2})(?:st|nd|rd|th)?`;
const yearNumber = String.raw`(\d{4})`;
const separator = String.raw`(?:\s+|\s*,\s*|[-/])`;

/** Forms of a day, which a time may follow. `parts` are the groups of the pattern in their order. */
const forms: readonly { pattern: RegExp; parts: readonly ('year' | 'month' | 'day')[] }[] = [
  { pattern: form(String.raw`(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})`), parts: ['year', 'month', 'day'] },
  { pattern: form([monthName, dayNumber, yearNumber].join(separator)), parts: ['month', 'day', 'year'] },
  { pattern: form([dayNumber, monthName, yearNumber].join(separator)), parts: ['day', 'month', 'year'] },
  { pattern: form([monthName, yearNumber].join(separator)), parts: ['month', 'year'] },
];

function form(day: string): RegExp {
  return new RegExp(`^${day}(?:(?:t|,?\\s+)(.+))?$`);
}

/** Parses a date that does not depend on now. Undefined for any other text, and for a day that does not exist. */
function absoluteDate(text: string): number | undefined {
  const epoch = /^@(\d{1,11})$/.exec(text)?.[1];
  if (epoch !== undefined) return Number(epoch);
  const plain = text.replace(/^(?:mon|tue|tues|wed|wednes|thu|thurs|fri|sat|satur|sun)(?:day)?,?\s+(?=.*\d{4})/, '');
  for (const { pattern, parts } of forms) {
    const match = pattern.exec(plain);
    if (!match) continue;
    const part = (name: (typeof parts)[number]): string | undefined => match[parts.indexOf(name) + 1];
    const time = timeOf(match[parts.length + 1]);
    const day = dayOf(part('year') ?? '', part('month') ?? '', parts.includes('day') ? (part('day') ?? '') : '1');
    if (day !== undefined && time !== undefined) return day + time;
  }
  return undefined;
}

function dayOf(year: string, month: string, day: string): number | undefined {
  const monthNumber = /^\d/.test(month) ? Number(month) : monthOf(month);
  const date = new Date(Date.UTC(Number(year), monthNumber - 1, Number(day)));
  date.setUTCFullYear(Number(year));
  // JavaScript turns a day that does not exist into one of the next month.
  if (date.getUTCMonth() !== monthNumber - 1 || date.getUTCDate() !== Number(day)) return undefined;
  return date.getTime() / 1000;
}

/** The number of a month, of whose name there are at least three letters. 0 for any other name. */
const monthOf = (name: string): number => months.findIndex((month) => month.startsWith(name)) + 1;

const daySeconds = 86_400;
const unitSeconds: Readonly<Record<string, number>> = {
  second: 1,
  sec: 1,
  minute: 60,
  min: 60,
  hour: 3600,
  day: daySeconds,
  week: 7 * daySeconds,
  fortnight: 14 * daySeconds,
};
const unitMonths: Readonly<Record<string, number>> = { month: 1, year: 12 };
const numbers = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** Parses a date that is counted from now in UTC, as git does. Undefined for any other text. */
function relativeDate(text: string, now: Date): number | undefined {
  const words = text
    .replaceAll(/[.,_-]/g, ' ')
    .replaceAll(/\band\b/g, ' ')
    .trim()
    .split(/\s+/);
  return namedDay(words, now) ?? weekday(words, now) ?? ago(words, now);
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000);
const midnight = (time: number): number => time - (((time % daySeconds) + daySeconds) % daySeconds);

/** `now`, `today` (its beginning), `yesterday` (a day ago), and the last `noon`, `midnight` or `tea`. */
function namedDay(words: readonly string[], now: Date): number | undefined {
  const [first = '', ...rest] = words;
  const time = rest.join(' ');
  const at = seconds(now);
  if (first === 'now' && time === '') return at;
  if (first === 'today') return sum(midnight(at), timeOf(time));
  if (first === 'yesterday') return time === '' ? at - daySeconds : sum(midnight(at) - daySeconds, timeOf(time));
  if (!['noon', 'midnight', 'tea'].includes(first) || time !== '') return undefined;
  const today = midnight(at) + (timeOf(first) ?? 0);
  return today > at ? today - daySeconds : today;
}

/** `monday`, `last monday`, `monday noon`: the last such day before today. */
function weekday(words: readonly string[], now: Date): number | undefined {
  const [name = '', ...rest] = words[0] === 'last' ? words.slice(1) : words;
  const wanted = weekdays.findIndex((day) => name.length >= 3 && day.startsWith(name));
  if (wanted < 0) return undefined;
  const back = (now.getUTCDay() - wanted + 7) % 7 || 7;
  const day = seconds(now) - back * daySeconds;
  return rest.length === 0 ? day : sum(midnight(day), timeOf(rest.join(' ')));
}

/** `2 weeks ago`, `1 year 2 months ago`, `three days`, `last month`. */
function ago(words: readonly string[], now: Date): number | undefined {
  const counted = words.at(-1) === 'ago' ? words.slice(0, -1) : words;
  if (counted.length === 0 || counted.length % 2 !== 0) return undefined;
  const date = new Date(now);
  for (let i = 0; i < counted.length; i += 2)
    if (!goBack(date, countOf(counted[i] ?? ''), (counted[i + 1] ?? '').replace(/s$/, ''))) return undefined;
  const at = seconds(date);
  // Dates before year 1 cannot be written.
  return Number.isFinite(at) && at > -62_135_596_800 ? at : undefined;
}

function goBack(date: Date, count: number | undefined, unit: string): boolean {
  if (count === undefined) return false;
  const [months, each] = [unitMonths[unit], unitSeconds[unit]];
  // As in git, a day that the month does not have becomes one of the next month.
  if (months !== undefined) date.setUTCMonth(date.getUTCMonth() - months * count);
  else if (each !== undefined) date.setTime(date.getTime() - each * count * 1000);
  return months !== undefined || each !== undefined;
}

function countOf(word: string): number | undefined {
  if (/^\d{1,9}$/.test(word)) return Number(word);
  if (['a', 'an', 'last'].includes(word)) return 1;
  const number = numbers.indexOf(word);
  return number < 0 ? undefined : number;
}

const sum = (day: number, time: number | undefined): number | undefined =>
  time === undefined ? undefined : day + time;

const named: Readonly<Record<string, number>> = { midnight: 0, noon: 12 * 3600, tea: 17 * 3600 };

const zone = String.raw`(z|utc|gmt|[+-]\d{2}:?\d{2})?`;
const clock = new RegExp(String.raw`^(\d{1,2})(?::?(\d{2}))(?::?(\d{2})(?:\.\d+)?)?\s*(am|pm)?\s*${zone}$`);
const hour = new RegExp(String.raw`^(\d{1,2})\s*(am|pm)\s*${zone}$`);

/** Seconds since midnight in UTC, as of `12:30`, `12:30:15.5 +02:00`, `3pm`, `noon`. 0 for no text, undefined for a text that is no time. */
function timeOf(text = ''): number | undefined {
  if (text === '') return 0;
  if (Object.hasOwn(named, text)) return named[text];
  const [, hours, minutes = '0', seconds = '0', half, offset] = clock.exec(text) ?? [];
  if (hours !== undefined) return secondsOf([hours, minutes, seconds], half, offset);
  const [, only, onlyHalf, onlyOffset] = hour.exec(text) ?? [];
  return only === undefined ? undefined : secondsOf([only, '0', '0'], onlyHalf, onlyOffset);
}

function secondsOf(clock: readonly string[], half: string | undefined, offset: string | undefined): number | undefined {
  const [h = 0, m = 0, s = 0] = clock.map(Number);
  if (m > 59 || s > 60 || h > (half === undefined ? 23 : 12) || (half !== undefined && h < 1)) return undefined;
  const hourOfDay = half === undefined ? h : (h % 12) + (half === 'pm' ? 12 : 0);
  const shift = offsetOf(offset);
  return shift === undefined ? undefined : hourOfDay * 3600 + m * 60 + s - shift;
}

function offsetOf(offset = 'z'): number | undefined {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(offset) ?? [];
  if (sign === undefined) return 0;
  if (Number(hours) > 15 || Number(minutes) > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
}
