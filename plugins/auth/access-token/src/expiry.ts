import { SextantError } from '@sextant/core';

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const isUnit = (unit: string): unit is keyof typeof unitMs => Object.hasOwn(unitMs, unit);

/** The moment that `90d`, `12h`, `2w`, `30m` from now, or a date, names, in milliseconds. Throws `invalid_argument`. */
export function expiryOf(text: string, now: number): number {
  const [, amount = '', unit = ''] = /^(\d{1,5})([a-z])$/.exec(text) ?? [];
  const at = isUnit(unit) ? now + Number(amount) * unitMs[unit] : dateOf(text);
  if (Number.isNaN(at))
    throw new SextantError(
      'invalid_argument',
      `"${text.slice(0, 40)}" is no expiry; write 90d, 12h, 2w, 30m, or a date such as 2027-01-31`,
    );
  if (at <= now) throw new SextantError('invalid_argument', `the expiry ${text} is not in the future`);
  return at;
}

/** A day ends at its end, in UTC. NaN for what is no date, February 30 included. */
function dateOf(text: string): number {
  const [, day, time] =
    /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/.exec(text) ?? [];
  const midnight = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) return Number.NaN;
  return Date.parse(`${day}${time ?? 'T23:59:59.999Z'}`);
}
