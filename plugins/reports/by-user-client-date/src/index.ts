import { Usage, granularities, reportPeriod } from '@sextant/contracts';
import type { Granularity, UsageCounts } from '@sextant/contracts';
import { definePlugin, defineReport } from '@sextant/core';
import { z } from 'zod';

const userColumns = ['Instance user ID', 'User Email', 'Username', 'Active User'];

const groupColumns: Readonly<Record<Granularity, readonly string[]>> = {
  by_user: [],
  by_user_month: ['Timestamp Month'],
  by_user_day: ['Timestamp Date'],
  by_user_day_client_language: ['Client Name', 'Timestamp Date', 'Language'],
};

const headings: Readonly<Record<keyof UsageCounts, string>> = {
  searches: 'Searches',
  codeNavigations: 'Code Navigation Events',
  historyQueries: 'History Queries',
  fileReads: 'File Reads',
  codeFinderCalls: 'Code Finder Calls',
  deepSearchQuestions: 'Deep Search Questions',
  evaluatorRuns: 'Evaluator Runs',
  toolCalls: 'Tool Calls',
  toolErrors: 'Tool Errors',
  creditsUsed: 'Credits Used',
};

export const byUserClientDate = defineReport({
  name: 'by-user-client-date',
  path: '/api/reports/by-user-client-date',
  query: reportPeriod.safeExtend({ granularity: z.enum(granularities).default('by_user_day_client_language') }),
  needs: { usage: Usage },
  columns: ({ granularity }) => [...userColumns, ...groupColumns[granularity], ...Object.values(headings)],
  async *rows({ instanceURL, ...request }, { usage }, { caller, signal }) {
    const wanted = new Set(groupColumns[request.granularity]);
    for await (const { user, client, date, language, counts } of usage
      .open(caller, instanceURL)
      .rows(request, signal)) {
      const group = { 'Client Name': client, 'Timestamp Date': date, 'Timestamp Month': date, Language: language };
      yield {
        'Instance user ID': user.id,
        'User Email': user.email,
        Username: user.name,
        'Active User': user.isActive,
        ...Object.fromEntries(Object.entries(group).filter(([heading]) => wanted.has(heading))),
        ...named(counts),
      };
    }
  },
});

export default definePlugin({ name: 'report-by-user-client-date', reports: [byUserClientDate] });

const named = (counts: UsageCounts): Record<string, number> =>
  Object.fromEntries(Object.entries(headings).map(([key, heading]) => [heading, counts[key as keyof UsageCounts]]));
