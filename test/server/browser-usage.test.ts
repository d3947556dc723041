import { expect, test } from 'vitest';
import { serveTwoRepositories } from './two-repositories.ts';

const pages = [
  '/search?q=export&part=all',
  '/search?q=type:commit+commit&part=all',
  '/search',
  '/open/-/blob/src/a.ts',
  '/open/-/symbol/src/a.ts?name=a',
  '/open/-/blob/nowhere.ts',
];

test('what people do in the browser counts in the reports, with the client web', async () => {
  await using server = await serveTwoRepositories();
  const headers = { authorization: `Bearer ${server.aliceToken}`, accept: 'text/html' };
  for (const page of pages) await (await fetch(server.url + page, { headers })).text();
  const query = new URLSearchParams({ instanceURL: server.url, granularity: 'by_user_day_client_language' });
  const report = async (): Promise<Record<string, string>[]> => {
    const response = await fetch(`${server.url}/api/reports/by-user-client-date?${query}`, {
      headers: { authorization: `Bearer ${server.adminToken}` },
    });
    const [header = '', ...rows] = (await response.text()).trim().split('\r\n');
    const columns = header.split(',');
    return rows.map((row) => Object.fromEntries(row.split(',').map((value, index) => [columns[index], value])));
  };
  await expect
    .poll(async () => {
      const rows = (await report()).filter((row) => Object.values(row).includes('web'));
      const total = (column: RegExp): number =>
        rows.flatMap(Object.entries).reduce((sum, [name, value]) => sum + (column.test(name) ? Number(value) : 0), 0);
      return [/search/i, /navigation/i, /history/i, /read/i].map(total);
    })
    .toEqual([1, 1, 1, 1]);
});
