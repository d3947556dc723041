import { Database } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { startPlugins } from '@sextant/core/testing';
import { testDatabase } from '@sextant/service-postgres/testing';
import { expect, test } from 'vitest';
import { migrations } from '../database/migrations.ts';
import { Origins } from './origins.ts';
import type { Origin } from './origins.ts';
import type { UsageTables } from '../database/tables.ts';

const originOf = (more: Partial<Origin> = {}): Origin => ({
  user_id: 2,
  client: 'probe',
  kind: 'tool',
  tool: 'read_file',
  endpoint: '/.api/mcp',
  language: 'Go',
  outcome: 'ok',
  credits: 0,
  ...more,
});

test('the same origin has one number, whoever asks and how often; each other one has its own', async () => {
  using folder = temporaryFolder();
  await using started = await startPlugins(folder.path, [[testDatabase]]);
  const { database } = started.services.resolve({ database: Database });
  const db = await database.open<UsageTables>({ name: 'usage', migrations });
  const others = Object.entries(originOf()).map(([name, value]) =>
    originOf({ [name]: typeof value === 'number' ? 77 : '77' }),
  );
  const asked = [originOf(), ...others, originOf()];
  const numbers = await new Origins(db).numbersOf(asked);
  expect(new Set(numbers).size).toBe(9);
  expect(numbers.at(-1)).toBe(numbers[0]);
  const another = new Origins(db);
  expect(await another.numbersOf(asked.toReversed())).toEqual(numbers.toReversed());
  expect(await another.numbersOf(asked)).toEqual(numbers);
  expect(
    await db
      .selectFrom('usage_origin')
      .selectAll()
      .where('id', '=', numbers[0] ?? 0)
      .execute(),
  ).toEqual([{ id: numbers[0], ...originOf() }]);
});
