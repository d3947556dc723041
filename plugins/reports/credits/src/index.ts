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
    const { isOwn } = await services.usage.open(caller, instanceURL);
    const buckets = isOwn ? await services.credits.buckets(caller, period) : [];
    yield buckets.map(({ name, allocation, consumed, startDate, endDate }) => [
      name,
      allocation,
      consumed,
      startDate,
      endDate,
    ]);
  },
});

export default definePlugin({ name: 'report-credits', reports: [credits] });
