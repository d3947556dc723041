const named: Readonly<Record<string, number>> = { midnight: 0, noon: 12 * 3600, tea: 17 * 3600 };

const zone = String.raw`(z|utc|gmt|[+-]\d{2}:?\d{2})?`;
const clock = new RegExp(String.raw`^(\d{1,2})(?::?(\d{2}))(?::?(\d{2})(?:\.\d+)?)?\s*(am|pm)?\s*${zone}$`);
const hour = new RegExp(String.raw`^(\d{1,2})\s*(am|pm)\s*${zone}$`);

/** Seconds from midnight in UTC: `12:30`, `12:30:15.5 +02:00`, `3pm`, `noon`; 0 for none, undefined for what is no time. */
export function timeOf(text = ''): number | undefined {
  if (text === '') return 0;
  if (Object.hasOwn(named, text)) return named[text];
  const [, hours = '', minutes = '0', seconds = '0', half, offset] = clock.exec(text) ?? [];
  if (hours !== '') return secondsOf({ hours, minutes, seconds, half }, offset);
  const [, only = '', onlyHalf, onlyOffset] = hour.exec(text) ?? [];
  return only === '' ? undefined : secondsOf({ hours: only, minutes: '0', seconds: '0', half: onlyHalf }, onlyOffset);
}

interface Clock {
  hours: string;
  minutes: string;
  seconds: string;
  half: string | undefined;
}

function secondsOf({ hours, minutes, seconds, half }: Clock, offset: string | undefined): number | undefined {
  const [h, m, s] = [Number(hours), Number(minutes), Number(seconds)];
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
