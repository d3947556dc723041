import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { rfc3339 } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import type { TemporaryFolder } from '@sextant/contracts/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { windowOf } from './dates.ts';

const now = new Date('2026-11-21T07:16:05Z');
const after = (text: string, at = now): string => rfc3339(windowOf({ after: text }, at).after ?? 0);

/** Git says what a date means only inside of a repository. */
let folder: TemporaryFolder;
let repository: RepositoryBuilder;
beforeAll(() => {
  folder = temporaryFolder();
  repository = new RepositoryBuilder({ folder: join(folder.path, 'any') });
});
afterAll(() => folder[Symbol.dispose]());

describe('dates are RFC 3339, YYYY-MM-DD and what git users write, in UTC', () => {
  test.each([
    ['2026-01-31', '2026-01-31T00:00:00Z'],
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00Z'],
    ['2026-01-31t12:00:00.250+02:00', '2026-01-31T10:00:00Z'],
    ['2026-01-31 12:00', '2026-01-31T12:00:00Z'],
    ['2026-01-31 12:00:05 -0130', '2026-01-31T13:30:05Z'],
    ['2026/1/31', '2026-01-31T00:00:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['november 1 2019', '2019-11-01T00:00:00Z'],
    ['Nov 1, 2019 3pm', '2019-11-01T15:00:00Z'],
    ['1st november 2019', '2019-11-01T00:00:00Z'],
    ['Fri, 1 Nov 2019 10:00:00 +0000', '2019-11-01T10:00:00Z'],
    ['november 2019', '2019-11-01T00:00:00Z'],
    ['@1700000000', '2023-11-14T22:13:20Z'],
    ['now', '2026-11-21T07:16:05Z'],
    ['today', '2026-11-21T00:00:00Z'],
    ['yesterday', '2026-11-20T07:16:05Z'],
    ['yesterday noon', '2026-11-20T12:00:00Z'],
    ['noon', '2026-11-20T12:00:00Z'],
    ['2 weeks ago', '2026-11-07T07:16:05Z'],
    ['2.weeks.ago', '2026-11-07T07:16:05Z'],
    ['three days', '2026-11-18T07:16:05Z'],
    ['1 year, 2 months ago', '2025-09-21T07:16:05Z'],
    ['last month', '2026-10-21T07:16:05Z'],
    ['last monday', '2026-11-16T07:16:05Z'],
  ])('%s is %s', (text, expected) => {
    expect(after(text)).toBe(expected);
  });

  test('what is counted from now is what git makes of it', () => {
    const unit = fc.constantFrom('second', 'minute', 'hour', 'day', 'week', 'month', 'year');
    const counted = fc.tuple(fc.integer({ min: 1, max: 40 }), unit).map(([count, name]) => `${count} ${name}s ago`);
    const named = fc.constantFrom('yesterday', 'last friday', 'noon', 'midnight', 'tea', 'last week', 'three days ago');
    const at = fc.integer({ min: 1_600_000_000, max: 1_900_000_000 });
    fc.assert(
      fc.property(fc.oneof(counted, named), at, (text, epoch) => {
        expect(`${text}: ${windowOf({ after: text }, new Date(epoch * 1000)).after}`).toBe(
          `${text}: ${gitSince(text, epoch)}`,
        );
      }),
      { numRuns: 120, seed: 4 },
    );
  });

  test('a date with a time is what git makes of it', () => {
    const time = fc.integer({ min: 200_000_000, max: 1_750_000_000 });
    const write = fc.constantFrom(
      (date: Date) => date.toISOString(),
      (date: Date) => date.toUTCString(),
      (date: Date) => date.toISOString().replace('T', ' ').replace('.000Z', ' +0000'),
    );
    fc.assert(
      fc.property(time, write, (epoch, format) => {
        const text = format(new Date(epoch * 1000));
        expect([text, windowOf({ before: text }, now).before]).toEqual([text, gitSince(text, 1_800_000_000)]);
      }),
      { numRuns: 40, seed: 5 },
    );
  });
});

/** The moment that git takes a text for, at a time of ours. */
function gitSince(text: string, epoch: number): number {
  const env = { PATH: process.env['PATH'], TZ: 'UTC', GIT_TEST_DATE_NOW: String(epoch) };
  const args = ['-C', repository.folder, 'rev-parse', `--since=${text}`];
  const [, seconds] = /=(\d+)/.exec(execFileSync('git', args, { env }).toString()) ?? [];
  return Number(seconds);
}

describe('what is no date, and windows without time, are refused', () => {
  test.each([
    'garbage',
    '',
    '2026-02-30',
    '2026-13-01',
    '2026-01-31T25:00:00Z',
    '0 florps ago',
    'ago',
    'x'.repeat(500),
  ])('%j is no date', (text) => {
    expect(() => windowOf({ before: text }, now)).toThrow(/^Argument "before": ".*" is no date; write 2026-01-31, /);
  });

  test('a window that ends before it begins', () => {
    expect(() => windowOf({ after: '2026-02-01', before: '2026-01-01' }, now)).toThrow(
      'Argument "after": "2026-02-01" is later than "before" ("2026-01-01"), so that no commit lies between them.',
    );
  });
});
