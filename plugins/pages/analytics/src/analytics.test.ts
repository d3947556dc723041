import { Usage } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import type { TemporaryFolder } from '@sextant/contracts/testing';
import { CallRecorder, silentLogger } from '@sextant/core';
import type { CallRecord, Caller } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import credits from '@sextant/service-credits';
import directory from '@sextant/service-directory';
import sqlite from '@sextant/service-sqlite';
import usage from '@sextant/service-usage';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import plugin from './index.ts';

const hostile = '"><script>alert(1)</script>';
const root = callerOf('root', { id: 9, isSiteAdmin: true });
const alice = callerOf('alice', { id: 2 });

const recordOf = (record: Partial<CallRecord>): CallRecord => ({
  kind: 'tool',
  name: 'read_file',
  endpoint: '/.api/mcp',
  userId: 2,
  clientName: 'probe',
  files: ['a.ts'],
  startedAt: Date.parse('2026-03-02T12:00:00Z'),
  milliseconds: 40,
  outcome: 'ok',
  credits: 0,
  ...record,
});

const recorded = [
  recordOf({ startedAt: Date.parse('2026-04-20T12:00:00Z') }),
  recordOf({}),
  recordOf({ userId: 3, clientName: hostile, name: 'diff_search', outcome: 'timeout', credits: 2 }),
  recordOf({ userId: 77, clientName: undefined, files: [] }),
];

let folder: TemporaryFolder;
let started: StartedPlugins;
beforeAll(async () => {
  folder = temporaryFolder();
  const buckets = { credits: [{ name: 'spring', allocation: 50, startDate: '2026-03-01', endDate: '2026-05-31' }] };
  const users = {
    users: [{ name: 'alice', roles: ['testers'] }, { name: 'bob' }],
    roles: { testers: { permissions: [] } },
  };
  started = await startPlugins(folder.path, [
    [sqlite],
    [directory, users],
    [usage, { eventDays: 36_500 }],
    [credits, buckets],
    [plugin],
  ]);
  const services = started.services.resolve({ recorder: CallRecorder, usage: Usage });
  for (const record of recorded) services.recorder.record(record);
  const instance = await services.usage.open(root, 'localhost');
  const march = { startDate: '2026-03-01', endDate: '2026-03-31', span: 'month' } as const;
  await vi.waitFor(async () => expect((await instance.overview(march)).userCount).toBe(3), 120_000);
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function open(query: string, caller: Caller = root): Promise<{ status: number; text: string }> {
  const page = plugin.pages.find(({ name }) => name === 'analytics');
  if (!page) throw new Error('there is no page');
  const request = new Request(`http://localhost/analytics?${query}`);
  const call = { caller, endpoint: page.path, signal: request.signal, log: silentLogger, reportProgress() {} };
  const response = await page.respond(request, started.services.resolve(page.needs), call);
  return { status: response.status, text: await response.text() };
}

const march = 'startDate=2026-03-01&endDate=2026-03-07';

describe('the page', () => {
  test('shows everyone to administrators', async () => {
    const { status, text } = await open(march);
    expect(status).toBe(200);
    for (const part of [
      'What everyone did',
      'Active users',
      '>33.3%<',
      '>alice<',
      '>bob<',
      '>a user who is gone<',
      '50 of 50 left',
    ])
      expect(text).toContain(part);
  });

  test('shows others themselves, and nobody else', async () => {
    const { text } = await open(march, alice);
    expect(text).toContain('What you did');
    expect(text).toContain('read_file');
    for (const part of ['bob', 'diff_search', 'Active users', 'who is gone']) expect(text).not.toContain(part);
  });

  test('is narrowed by a click on a name, and widened again', async () => {
    const { text } = await open(march);
    const [, link = ''] = /href="([^"]*&amp;user=bob)"/.exec(text) ?? [];
    const narrowed = (await open(link.replaceAll('&amp;', '&').replace(/^.*\?/, ''))).text;
    expect(narrowed).toContain('diff_<wbr/>search');
    for (const part of ['>alice<', 'read_<wbr/>file']) expect(narrowed).not.toContain(part);
    expect(narrowed).toContain('aria-label="Remove user bob"');
    const team = (await open(`${march}&team=testers`)).text;
    expect(team).toContain('>alice<');
    expect(team).not.toContain('>bob<');
    expect((await open(`${march}&tool=nothing`)).text).toContain('take away a filter');
  });

  test('is compared with the period before, and says when users came back', async () => {
    const { text } = await open('startDate=2026-03-03&endDate=2026-03-09&client=probe');
    expect(text).toContain('No calls in this period');
    const later = (await open('startDate=2026-03-01&endDate=2026-03-07')).text;
    expect(later).toContain('95 of 100 within');
    expect(later).toMatch(/<th scope="row">2026-03-02<\/th><td>3<\/td><td class="shade-5">100%<\/td>/);
    expect(later).not.toContain('Compared with');
    const { text: after } = await open('startDate=2026-03-02&endDate=2026-03-02');
    expect(after).not.toContain('Compared with');
    const april = (await open('startDate=2026-04-20&endDate=2026-06-09')).text;
    expect(april).toContain('<small>−67%</small>');
    expect(april).toContain('<td>1 <small>−50%</small><svg');
  });

  test('has a title, a description and its numbers in a table for each chart', async () => {
    const { text } = await open(march);
    const drawings = [...text.matchAll(/<svg aria-describedby="(\S+)" aria-labelledby="(\S+)" role="img"/g)];
    expect(drawings.length).toBe(8);
    for (const [, description, title] of drawings)
      for (const id of [title, description]) expect(text.split(` id="${id}"`)).toHaveLength(2);
    expect(text.match(/<summary>Numbers<\/summary>/g)).toHaveLength(7);
    expect(text).toContain('<tr><th scope="row">2026-03-02</th><td>2</td><td>1</td></tr>');
  });

  test('has no inline script or style, in charts neither, and escapes names', async () => {
    const { text } = await open(march);
    expect(text).not.toMatch(/<style|style="|<script(?!(?: type="module")? src=)/);
    expect(text).toContain('&lt;script&gt;');
  });

  test('leads to the reports of the API for what is shown', async () => {
    const { text } = await open(march);
    const links = [...text.matchAll(/href="(\/api\/[^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));
    expect(links).toHaveLength(6);
    expect(links).toContain(
      '/api/reports/by-user-client-date?instanceURL=localhost&startDate=2026-03-01&endDate=2026-03-07&granularity=by_user_day',
    );
  });

  test('marks weeks where their columns begin, on Mondays', async () => {
    const { text } = await open('startDate=2026-03-01&endDate=2026-03-31&span=week');
    const marked = ['8', '9', '15', '16', '22', '23'].filter((day) => text.includes(`>${day}</text>`));
    expect(marked).toEqual(['9', '16', '23']);
  });

  test('lets long names go on in the next line where a sign divides them', async () => {
    const { text } = await open(march);
    expect(text).toContain('>read_<wbr/>file<wbr/></a></th>');
  });

  test('says what to do where nothing happened', async () => {
    const { text } = await open('startDate=2025-01-01&endDate=2025-01-31');
    expect(text).toContain('No calls in this period');
    expect(text).not.toContain('role="img"');
  });

  test('explains what cannot be shown', async () => {
    const { status, text } = await open('startDate=2026-03-02&endDate=2026-03-01');
    expect(status).toBe(400);
    expect(text).toContain('startDate must not be after endDate');
  });

  test('refuses an instance that is unknown or of someone else in the words of the reports', async () => {
    await expect(open('instance=elsewhere.example.com')).rejects.toMatchObject({ code: 'forbidden' });
  });
});
