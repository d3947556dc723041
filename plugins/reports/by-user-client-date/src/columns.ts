import type { Granularity, UsageRow } from '@sextant/contracts';
import type { ReportRow } from '@sextant/core';

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

export const columnsOf = (granularity: Granularity): string[] => [
  ...userColumns,
  ...groups[granularity].columns,
  ...countColumns,
];

/** In the order of the columns. */
export const cellsOf = (granularity: Granularity, row: UsageRow): ReportRow => [
  row.user.id,
  row.user.email,
  row.user.name,
  row.user.isActive,
  ...groups[granularity].cells(row),
  row.counts.searches,
  row.counts.codeNavigations,
  row.counts.historyQueries,
  row.counts.fileReads,
  row.counts.codeFinderCalls,
  row.counts.deepSearchQuestions,
  row.counts.evaluatorRuns,
  row.counts.toolCalls,
  row.counts.toolErrors,
  row.counts.creditsUsed,
];
