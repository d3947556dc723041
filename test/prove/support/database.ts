import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { postgresPrograms } from '@sextant/service-postgres/testing';

/** Each statement in a transaction of its own. */
export function queryOnce(url: string, ...statements: readonly string[]): void {
  const args = statements.flatMap((statement) => ['-c', statement]);
  const { status, stderr } = spawnSync(join(postgresPrograms() ?? '', 'psql'), ['-X', url, ...args], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
}
