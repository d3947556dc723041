import { postgresPrograms, startCluster } from '@sextant/service-postgres/testing';

/** Starts a PostgreSQL server for the tests of a run, and ends it after them. */
export default async function setup(): Promise<() => Promise<void>> {
  if (postgresPrograms() === undefined)
    throw new Error('the tests on PostgreSQL need its programs: apt-get install postgresql');
  const cluster = await startCluster();
  process.env['SEXTANT_TEST_POSTGRES'] = cluster.url;
  return async () => cluster[Symbol.asyncDispose]();
}
