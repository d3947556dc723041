import { timeOf } from './time-of-day.ts';

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

/** Seconds since 1970 of what is counted from now, as git does it in UTC; undefined for another text. */
export function relativeDate(text: string, now: Date): number | undefined {
  const words = text
    .replaceAll(/[.,_-]/g, ' ')
    .replaceAll(/\band\b/g, ' ')
    .trim()
    .split(/\s+/);
  return namedDay(words, now) ?? weekday(words, now) ?? ago(words, now);
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000);
const midnight = (time: number): number => time - (((time % daySeconds) + daySeconds) % daySeconds);

/** `now`, `today` (its beginning), `yesterday` (a day ago) and `noon`, `midnight`, `tea`: the last one. */
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

/** `monday`, `last monday`, `monday noon`: the last one before today. */
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
  // Before year 1 there is no date to write.
  return Number.isFinite(at) && at > -62_135_596_800 ? at : undefined;
}

function goBack(date: Date, count: number | undefined, unit: string): boolean {
  if (count === undefined) return false;
  const [months, each] = [unitMonths[unit], unitSeconds[unit]];
  // A day that a month lacks becomes one of the next, as in git.
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
