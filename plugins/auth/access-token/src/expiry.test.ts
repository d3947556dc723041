import { describe, expect, it } from 'vitest';
import { expiryOf } from './expiry.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

describe('an expiry', () => {
  it.each([
    ['90d', '2027-02-19T12:00:00.000Z'],
    ['12h', '2026-11-22T00:00:00.000Z'],
    ['2w', '2026-12-05T12:00:00.000Z'],
    ['30m', '2026-11-21T12:30:00.000Z'],
    ['2026-11-21', '2026-11-21T23:59:59.999Z'],
    ['2028-02-29', '2028-02-29T23:59:59.999Z'],
    ['2027-01-31T10:00:00Z', '2027-01-31T10:00:00.000Z'],
    ['2027-01-31T10:00+02:00', '2027-01-31T08:00:00.000Z'],
  ])('%s is %s', (text, moment) => {
    expect(new Date(expiryOf(text, now)).toISOString()).toBe(moment);
  });

  it.each([
    '',
    'soon',
    '90',
    'd',
    '90 d',
    '90D',
    '1.5d',
    '-1d',
    '999999d',
    '90y',
    '2027-02-30',
    '2027-13-01',
    '27-01-01',
    '2027-01-31T25:00:00Z',
    '2027-01-31 10:00',
  ])('is not %j, and the refusal has examples', (text) => {
    expect(() => expiryOf(text, now)).toThrow(
      `"${text}" is no expiry; write 90d, 12h, 2w, 30m, or a date such as 2027-01-31`,
    );
  });

  it.each(['0d', '2026-11-20', '2026-11-21T12:00:00Z'])('is not in the past, as %s is', (text) => {
    expect(() => expiryOf(text, now)).toThrow(`the expiry ${text} is not in the future`);
  });
});
