import { SextantError } from '@sextant/core';

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const isUnit = (unit: string): unit is keyof typeof unitMs => Object.hasOwn(unitMs, unit);

/** Latest year that a date may have; beyond it is a slip of the finger. */
const lastYear = 9999;

/** The moment that `90d`, `12h`, `2w`, `30m` from now, or a date, names, in milliseconds. Throws `invalid_argument`. */
export function expiryOf(text: string, now: number): number {
  const [, amount = '', unit = ''] = /^(\d{1,5})([a-z])$/.exec(text) ?? [];
  const at = isUnit(unit) ? now + Number(amount) * unitMs[unit] : dateOf(text);
  if (Number.isNaN(at) || new Date(at).getUTCFullYear() > lastYear)
    throw new SextantError('invalid_argument', `"${text.slice(0, 40)}" is no expiry; write 90d, 12h, 2w, 30m, or a date such as 2027-01-31`);
  if (at <= now) throw new SextantError('invalid_argument', `the expiry ${text} is not in the future`);
  return at;
}

/** A day ends at its end, in UTC. */
function dateOf(text: string): number {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Date.parse(`${text}T23:59:59.999Z`);
  return /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
}
