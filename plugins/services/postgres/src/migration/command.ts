import { Database } from '@sextant/contracts';
import { defineCommand, textTable } from '@sextant/core';
import { z } from 'zod';
import { migration } from './migration.ts';

const copiedTable = z.object({ table: z.string(), rows: z.int(), checksum: z.string(), wasThere: z.boolean() });

export const migrate = defineCommand({
  name: 'migrate',
  summary: 'copy the SQLite database of the data folder into an empty PostgreSQL database; stop the server before',
  input: z.object({
    from: z.literal('sqlite').describe('What is copied: sextant.db and its secrets in the data folder'),
    to: z.literal('postgres').describe('Where to: the "url" of the plugin service-postgres'),
    dryRun: z.boolean().default(false).describe('Say what would be copied, and copy nothing'),
  }),
  needs: { migration },
  alsoStarts: { database: Database },
  output: z.object({
    isDryRun: z.boolean(),
    tables: z.array(copiedTable),
    secrets: z.array(z.string()),
    leftOut: z.array(z.string()),
  }),
  run: async ({ dryRun: isDryRun }, services, { signal, showProgress }) => {
    const { tables, secrets, leftOut } = await services.migration.run({ isDryRun, signal, showProgress });
    return { isDryRun, tables: [...tables], secrets: [...secrets], leftOut: [...leftOut] };
  },
  toText: ({ isDryRun, tables, secrets, leftOut }) =>
    [
      textTable([
        ['TABLE', 'ROWS', 'CHECKSUM', ''],
        ...tables.map(({ table, rows, checksum, wasThere }) => [
          table,
          String(rows),
          checksum,
          wasThere ? 'was there already' : '',
        ]),
      ]),
      ...(secrets.length > 0 ? [`secrets: ${secrets.join(', ')}`] : []),
      ...(leftOut.length > 0
        ? [`left out, because no plugin of this configuration has them: ${leftOut.join(', ')}`]
        : []),
      isDryRun
        ? `${tables.length} tables would be copied; nothing was`
        : `${tables.length} tables are the same in PostgreSQL. Start the server.`,
    ].join('\n'),
});
