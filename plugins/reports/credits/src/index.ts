import { Credits, Usage, reportPeriod } from '@sextant/contracts';
import { definePlugin, defineReport } from '@sextant/core';

export const credits = defineReport({
  name: 'credits',
  path: '/api/credits',
  query: reportPeriod,
  needs: { credits: Credits, usage: Usage },
  jsonKey: 'buckets',
  columns: () => ['Name', 'Allocation', 'Consumed', 'Start Date', 'End Date'],
  async *rows({ instanceURL, ...period }, services, { caller }) {
    // Refuses an instance that is not the caller's.
    services.usage.open(caller, instanceURL);
    for (const { name, allocation, consumed, startDate, endDate } of await services.credits.buckets(caller, period))
      yield { Name: name, Allocation: allocation, Consumed: consumed, 'Start Date': startDate, 'End Date': endDate };
  },
});

export default definePlugin({ name: 'report-credits', reports: [credits] });
