import type { Evaluation } from '@sextant/contracts';
import { runTool } from '@sextant/core/testing';
import type { ToolAnswer } from '@sextant/core/testing';
import { expect, test, vi } from 'vitest';
import { evaluator } from './index.ts';

const nothing: Evaluation = {
  result: null,
  output: '',
  files: [],
  stats: { searches: 0, reads: 0, limitHit: false },
  notes: [],
};
const run = vi.fn(async (): Promise<Evaluation> => nothing);

const evaluate = (evaluation: Partial<Evaluation> = {}, script = 'return 1'): Promise<ToolAnswer> => {
  run.mockResolvedValue({ ...nothing, ...evaluation });
  return runTool(evaluator, { input: { script }, services: { evaluator: { run } } });
};

test('the script runs, and its result, output, files and statistics are the answer', async () => {
  const file = { name: 'a.csv', url: 'http://localhost/evaluator/files/1', bytes: 7 };
  const stats = { searches: 2, reads: 1, limitHit: true };
  const { structured, text } = await evaluate({ result: { n: 1 }, output: 'hello\n', files: [file], stats });
  expect(run).toHaveBeenLastCalledWith('return 1', expect.objectContaining({ endpoint: '/.api/mcp/all' }));
  expect(structured).toEqual({ result: { n: 1 }, output: 'hello\n', files: [file], stats });
  expect(text).toBe(
    'hello\nresult:\nn: 1\nfile a.csv (7 bytes): http://localhost/evaluator/files/1\n[2 searches, some incomplete: see their stats, 1 reads]',
  );
});

test.each([
  [null, ''],
  ['text', 'result:\ntext\n'],
  [[], 'result:\n(empty)\n'],
  [{}, 'result:\n(empty)\n'],
  [[1, 'a', null, false], 'result:\n- 1\n- a\n- null\n- false\n'],
  [[{ repo: 'shop', line: 3 }, [1, 2], []], 'result:\n- repo: shop, line: 3\n- 1, 2\n- (empty)\n'],
  [{ a: { b: { c: 1 }, d: [[1]] } }, 'result:\na:\n  b: c: 1\n  d:\n    - 1\n'],
  [[{ text: 'two\nlines' }], 'result:\n-\n  text: two\n    lines\n'],
])('a result is shown without JSON: %j', async (result, shown) => {
  const { structured, text } = await evaluate({ result });
  expect(structured).toMatchObject({ result });
  expect(text).toBe(`${shown}[0 searches, 0 reads]`);
});

test('any JSON may be a result, so its schema says nothing but what it is', () => {
  expect(evaluator.outputSchema.properties?.['result']).toEqual({ description: 'Any JSON' });
});

test('notes are shown', async () => {
  const { structured, text } = await evaluate({ notes: ['Replaced.'] });
  expect(structured['notes']).toEqual(['Replaced.']);
  expect(text).toBe('[Replaced.]\n[0 searches, 0 reads]');
});

test.each(['', 'x'.repeat(200_001)])('a script has 1 to 200,000 characters', async (script) => {
  await expect(evaluate({}, script)).rejects.toMatchObject({ code: 'invalid_argument' });
});
