import { expect, onTestFinished, test } from 'vitest';
import { run } from '../testing/run-sextant.ts';
import type { Ran } from '../testing/run-sextant.ts';
import { scratch } from '../testing/scratch.ts';
import type { Scratch } from '../testing/scratch.ts';

async function place(): Promise<Scratch & { sextant(...argv: string[]): Promise<Ran> }> {
  const folder = await scratch();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return { ...folder, sextant: (...argv) => run(argv, { cwd: folder.folder }) };
}

test('`sextant plugin new NAME` writes a working package with a test, and `plugin check` finds nothing wrong with it', async () => {
  const { sextant, path } = await place();
  const written = await sextant('plugin', 'new', '@acme/tool-line-stats');
  expect(written).toMatchObject({ code: 0, stderr: '' });
  expect(written.stdout).toContain(path('tool-line-stats/src/index.test.ts'));
  const checked = await sextant('plugin', 'check', 'tool-line-stats');
  expect(checked.code, checked.stdout).toBe(0);
  for (const passed of ['line_stats: answer', 'line_stats: hidden repositories', 'test: a file is measured'])
    expect(checked.stdout).toMatch(new RegExp(`^ok +\\S*.*${passed}$`, 'm'));
  expect(await sextant('plugin', 'new', 'tool-line-stats')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not empty'),
  });
});

test('a name that no package may have is wrong usage', async () => {
  const { sextant } = await place();
  expect(await sextant('plugin', 'new', '../x')).toMatchObject({ code: 2, stderr: expect.stringContaining('must be') });
});

/** Everything wrong at once: it never stops, answers JSON, tells what exists, and has bugs for odd values. */
const careless = `import { Repositories } from '@sextant/contracts';
import { definePlugin, defineTool } from '@sextant/core';
import { z } from 'zod';
const tool = defineTool({
  name: 'careless', title: 'Careless', description: 'short', endpoints: [],
  needs: { repositories: Repositories },
  input: z.object({ repo: z.string().describe('Name') }), output: z.object({ answer: z.string() }),
  async run({ repo }, { repositories }, { caller, signal }) {
    if (signal.aborted) await new Promise(() => {});
    if (repo === 'sample-hidden') throw new Error('may not be read');
    await repositories.open(caller, repo);
    return { answer: repo };
  },
  toText: (output) => JSON.stringify(output),
});
export default definePlugin({ name: 'tool-careless', tools: [tool] });`;

test('what is wrong with a plugin is said tool by tool, and the command exits 1', async () => {
  const { sextant, write } = await place();
  await write('careless.ts', careless);
  const { code, stdout } = await sextant('plugin', 'check', 'careless.ts', '--json');
  const { findings } = JSON.parse(stdout) as { findings: { check: string; problem?: string }[] };
  const problems = Object.fromEntries(findings.map(({ check, problem }) => [check, problem]));
  expect(code).toBe(1);
  expect(problems).toEqual({
    starts: undefined,
    description: expect.stringContaining('in a sentence'),
    'token budget': undefined,
    answer: 'toText gave JSON; write it for a reader',
    'wrong arguments': undefined,
    'odd values': undefined,
    cancellation: 'it was still running 5 s after it was canceled',
    'hidden repositories': expect.stringContaining('answered differently'),
  });
});

test('a plugin that does not start, and a path without one, say why', async () => {
  const { sextant, write } = await place();
  await write('lost.ts', careless.replace('import { Repositories }', 'import { Nothing as Repositories }'));
  expect(await sextant('plugin', 'check', 'lost.ts')).toMatchObject({ code: 1 });
  expect(await sextant('plugin', 'check', 'nowhere')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is neither a file nor a folder with a plugin'),
  });
});
