import { Audit, Database } from '@sextant/contracts';
import { RefusalRecorder, definePlugin } from '@sextant/core';
import { AuditLog } from './audit-log.ts';
import { audit } from './command.ts';
import { EventStore } from './event-store.ts';
import { migrations } from './tables.ts';
import type { AuditTables } from './tables.ts';

export default definePlugin({
  name: 'service-audit',
  needs: { database: Database },
  provides: { audit: Audit, refusals: RefusalRecorder },
  commands: [audit],
  async start(_config, { database }, { log }) {
    const store = new EventStore(await database.open<AuditTables>({ name: 'audit', migrations, isLog: true }));
    const auditLog = new AuditLog(store, log);
    return { audit: { value: auditLog, close: () => auditLog.close() }, refusals: { value: auditLog } };
  },
});
