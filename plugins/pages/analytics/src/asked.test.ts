import { describe, expect, test } from 'vitest';
import { addressOf, periodBefore, readAsked } from './asked.ts';

const now = Date.parse('2026-11-21T09:00:00Z');
const read = (query: string): ReturnType<typeof readAsked> =>
  readAsked(`http://localhost/analytics${query}`, 'here', now);

describe('what the page is to show', () => {
  test.each([
    ['', '2026-10-23', '2026-11-21', 'day'],
    ['?startDate=&endDate=&span=', '2026-10-23', '2026-11-21', 'day'],
    ['?startDate=2026-09-01', '2026-09-01', '2026-11-21', 'week'],
    ['?endDate=2026-03-31', '2026-03-02', '2026-03-31', 'day'],
    ['?startDate=2020-01-01&endDate=2026-01-01', '2020-01-01', '2026-01-01', 'month'],
    ['?startDate=2026-01-01&endDate=2026-12-31&span=day', '2026-01-01', '2026-12-31', 'day'],
  ])('%s', (query, startDate, endDate, span) => {
    expect(read(query)).toEqual({ startDate, endDate, span, instance: 'here', filters: {} });
  });

  test('what it is narrowed to stays in the addresses of the page, but for what is changed', () => {
    const asked = read('?user=alice&tool=read_file&client=&startDate=2026-11-01&endDate=2026-11-07');
    expect(asked.filters).toEqual({ user: 'alice', tool: 'read_file' });
    const address = addressOf(asked, { user: undefined, client: 'a b' });
    expect(address).toBe(
      '/analytics?startDate=2026-11-01&endDate=2026-11-07&span=day&instance=here&tool=read_file&client=a+b',
    );
    expect(periodBefore(asked)).toEqual({ startDate: '2026-10-25', endDate: '2026-10-31' });
  });

  test('another instance is one that is named', () => {
    expect(read('?instance=eu.example.com')).toMatchObject({ instance: 'eu.example.com' });
  });
});

describe('what cannot be shown is explained, and the last 30 days are', () => {
  test.each([
    ['?startDate=2026-02-30', 'startDate is no day of the calendar'],
    ['?startDate=yesterday', 'startDate must be a date such as 2026-01-31'],
    ['?startDate=2026-03-02&endDate=2026-03-01', 'startDate must not be after endDate'],
    ['?span=year', 'span Invalid option'],
    ['?startDate=0001-01-01', 'So long a period is not shown by month: a chart has at most 400 months'],
  ])('%s', (query, problem) => {
    expect(read(query)).toMatchObject({
      startDate: '2026-10-23',
      endDate: '2026-11-21',
      span: 'day',
      problem: expect.stringContaining(problem),
    });
  });

  test('a span that is too short for the period gives way to one that fits', () => {
    expect(read('?startDate=2025-01-01&endDate=2026-12-31&span=day')).toMatchObject({
      startDate: '2025-01-01',
      span: 'month',
      problem: expect.stringContaining('at most 400 days'),
    });
  });
});
