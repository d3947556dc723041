import { Database, Usage, granularities, reportPeriod } from '@sextant/contracts';
import { Principals, SextantError, csvLines, definePlugin, defineReport, optional, token } from '@sextant/core';
import { z } from 'zod';
import { cellsOf, columnsOf } from './columns.ts';
import { Deliveries, deliveryConfig } from './deliveries.ts';
import type { DeliveriesOptions } from './deliveries.ts';

export const byUserClientDate = defineReport({
  name: 'by-user-client-date',
  path: '/api/reports/by-user-client-date',
  query: reportPeriod.safeExtend({ granularity: z.enum(granularities).default('by_user_day_client_language') }),
  needs: { usage: Usage },
  columns: ({ granularity }) => columnsOf(granularity),
  async *rows({ instanceURL, ...request }, { usage }, { caller, signal }) {
    const instance = await usage.open(caller, instanceURL);
    // Nothing can be refused any more: the heading goes out while the sums are made.
    yield [];
    for await (const rows of instance.rows(request, signal)) yield rows.map((row) => cellsOf(request.granularity, row));
  },
});

/** Used by nobody: it lives as long as the plugin. */
const Delivering = token<object>('report-deliveries');

export default definePlugin({
  name: 'report-by-user-client-date',
  config: z.object({
    deliveries: z.array(deliveryConfig).max(20).default([]).describe('Reports that are sent when their period ends'),
  }),
  needs: { usage: Usage, principals: Principals, database: optional(Database) },
  provides: { delivering: Delivering },
  reports: [byUserClientDate],
  async start({ deliveries }, { usage, principals, database }, { externalURL, log }) {
    if (deliveries.length === 0) return { delivering: { value: {} } };
    if (!database) throw new SextantError('invalid_argument', 'deliveries need a database that says what was sent');
    const csv = csvFrom({ usage, principals, externalURL });
    const value = await Deliveries.open({ deliveries, database, csv, log });
    return {
      delivering: {
        value,
        ready: async () => value.begin(),
        status: () => value.status(),
        close: () => value.close(),
      },
    };
  },
});

const csvFrom = ({
  usage,
  principals,
  externalURL,
}: {
  usage: Usage;
  principals: Principals;
  externalURL: string;
}): DeliveriesOptions['csv'] =>
  async function* (as, request, signal) {
    const caller = await principals.named(as);
    if (!caller) throw new Error(`there is no enabled user "${as}"`);
    yield csvLines([columnsOf(request.granularity)]);
    const instance = await usage.open(caller, externalURL);
    for await (const rows of instance.rows(request, signal))
      yield csvLines(rows.map((row) => cellsOf(request.granularity, row)));
  };
