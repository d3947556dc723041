import { Usage, granularities, reportPeriod } from '@sextant/contracts';
import type { Granularity, UsageRow } from '@sextant/contracts';
import { definePlugin, defineReport } from '@sextant/core';
import type { ReportRow } from '@sextant/core';
import { z } from 'zod';

const userColumns = ['Instance user ID', 'User Email', 'Username', 'Active User'];

const countColumns = [
  'Searches',
  'Code Navigation Events',
  'History Queries',
  'File Reads',
  'Code Finder Calls',
  'Deep Search Questions',
  'Evaluator Runs',
  'Tool Calls',
  'Tool Errors',
  'Credits Used',
];

/** The columns between the user's and the counts, and their cells. */
const groups: Readonly<Record<Granularity, { columns: readonly string[]; cells(row: UsageRow): readonly string[] }>> = {
  by_user: { columns: [], cells: () => [] },
  by_user_month: { columns: ['Timestamp Month'], cells: ({ date }) => [date] },
  by_user_day: { columns: ['Timestamp Date'], cells: ({ date }) => [date] },
  by_user_day_client_language: {
    columns: ['Client Name', 'Timestamp Date', 'Language'],
    cells: ({ client, date, language }) => [client, date, language],
  },
};

export const byUserClientDate = defineReport({
  name: 'by-user-client-date',
  path: '/api/reports/by-user-client-date',
  query: reportPeriod.safeExtend({ granularity: z.enum(granularities).default('by_user_day_client_language') }),
  needs: { usage: Usage },
  columns: ({ granularity }) => [...userColumns, ...groups[granularity].columns, ...countColumns],
  async *rows({ instanceURL, ...request }, { usage }, { caller, signal }) {
    const { cells } = groups[request.granularity];
    const instance = await usage.open(caller, instanceURL);
    // Nothing can be refused any more: the heading goes out while the sums are made.
    yield [];
    for await (const rows of instance.rows(request, signal)) yield rows.map((row) => toCells(row, cells(row)));
  },
});

export default definePlugin({ name: 'report-by-user-client-date', reports: [byUserClientDate] });

/** In the order of the columns. */
const toCells = ({ user, counts }: UsageRow, group: readonly string[]): ReportRow => [
  user.id,
  user.email,
  user.name,
  user.isActive,
  ...group,
  counts.searches,
  counts.codeNavigations,
  counts.historyQueries,
  counts.fileReads,
  counts.codeFinderCalls,
  counts.deepSearchQuestions,
  counts.evaluatorRuns,
  counts.toolCalls,
  counts.toolErrors,
  counts.creditsUsed,
];
