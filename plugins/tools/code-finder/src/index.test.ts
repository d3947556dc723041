import type { CreditHold, Credits, ResearchAnswer, ResearchLocation, Researcher } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import { runTool } from '@sextant/core/testing';
import { expect, test, vi } from 'vitest';
import { codeFinder } from './index.ts';

const found: ResearchLocation = {
  repo: 'shop',
  path: 'src/retry.ts',
  commit: 'a'.repeat(40),
  startLine: 3,
  endLine: 9,
  reason: 'defines retryRequest',
  score: 1,
};
const locations = [
  { ...found, revision: 'v1' },
  {
    ...found,
    revision: 'v1',
    startLine: 20,
    endLine: 30,
    within: 'retryRequest',
    best: { line: 21, text: 'attempt += 1;' },
  },
];
const links = { file: (target: object): string => JSON.stringify(target), commit: (): string => '' };

const settle = vi.fn<() => Promise<void>>(async () => {});
const giveBack = vi.fn<() => Promise<void>>(async () => {});
const hold: CreditHold = { settle, [Symbol.asyncDispose]: giveBack };
const reserve = vi.fn<Credits['reserve']>(async () => hold);
const credits: Credits = { reserve, buckets: async () => [] };
const locate = vi.fn<Researcher['locate']>(async () => ({ summary: 'It is here.', locations }));
const answer = async (): Promise<ResearchAnswer> => ({ title: '', markdown: '', sources: [] });
const services = { model: undefined, researcher: { locate, answer }, credits, links };

test('answers with a summary and locations, each with a link to its lines', async () => {
  const { structured, text } = await runTool(codeFinder, {
    input: { task: 'In shop: retry', revision: 'v1' },
    services,
  });
  expect(structured).toEqual({
    summary: 'It is here.',
    locations: locations.map(({ commit: _commit, score: _score, revision, ...location }) => ({
      ...location,
      url: links.file({
        repo: 'shop',
        path: location.path,
        startLine: location.startLine,
        endLine: location.endLine,
        revision,
      }),
    })),
  });
  expect(locate).toHaveBeenLastCalledWith(
    expect.anything(),
    { task: 'In shop: retry', revision: 'v1' },
    expect.anything(),
  );
  const link = links.file({ repo: 'shop', path: 'src/retry.ts', startLine: 3, endLine: 9, revision: 'v1' });
  expect(text).toBe(
    `It is here.\n\n# shop – src/retry.ts ${link}\n3-9 | defines retryRequest\n20-30 in retryRequest | 21: attempt += 1;`,
  );
});

test('consumes a credit, and none when it declines', async () => {
  const declined = new SextantError('invalid_argument', 'the task names no repository');
  await runTool(codeFinder, { input: { task: 'In shop: retry' }, services });
  expect(reserve).toHaveBeenLastCalledWith(expect.anything(), { tool: 'code_finder', credits: 1 });
  expect(settle).toHaveBeenCalled();
  settle.mockClear();
  giveBack.mockClear();
  locate.mockRejectedValueOnce(declined);
  await expect(runTool(codeFinder, { input: { task: 'retry' }, services })).rejects.toBe(declined);
  expect(settle).not.toHaveBeenCalled();
  expect(giveBack).toHaveBeenCalledOnce();
});

test('out of quota it says when the quota renews, and looks for nothing', async () => {
  const exhausted = new SextantError('exhausted', 'the next is possible at 12:00', { retryAfterSeconds: 60 });
  reserve.mockRejectedValueOnce(exhausted);
  locate.mockClear();
  await expect(runTool(codeFinder, { input: { task: 'In shop: retry' }, services })).rejects.toBe(exhausted);
  expect(locate).not.toHaveBeenCalled();
});

test('a language model, where there is one, is asked instead of the built-in researcher', async () => {
  const model = {
    locate: vi.fn<Researcher['locate']>(async () => ({ summary: 'Of the model.', locations: [] })),
    answer,
  };
  const { text } = await runTool(codeFinder, { input: { task: 'In shop: retry' }, services: { ...services, model } });
  expect(text).toBe('Of the model.');
});

test('a task is required; one of 100 kB is not too long', async () => {
  const run = (input: object): Promise<unknown> => runTool(codeFinder, { input, services });
  await expect(run({})).rejects.toMatchObject({ code: 'invalid_argument' });
  await expect(run({ task: '' })).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('task'),
  });
  await expect(run({ task: 'x'.repeat(200_001) })).rejects.toMatchObject({ code: 'invalid_argument' });
  await expect(run({ task: `In shop: ${'log line\n'.repeat(12_000)}` })).resolves.toBeDefined();
});

test('an argument repo, as other tools have it, names the repository', async () => {
  await runTool(codeFinder, { input: { task: 'retry', repo: 'shop' }, services });
  expect(locate).toHaveBeenLastCalledWith(expect.anything(), { task: 'retry', repo: 'shop' }, expect.anything());
});
