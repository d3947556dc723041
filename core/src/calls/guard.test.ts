import { getEventListeners } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Call } from './call.ts';
import { deadlineOf, setDeadline } from './deadline.ts';
import { SextantError } from './errors.ts';
import { silentLogger } from '../plugins/logger.ts';
import { runTool } from '../testing/run-tool.ts';
import { textSize } from '../text/text-size.ts';
import { defineTool } from '../surface/tool.ts';
import type { Tool } from '../surface/tool.ts';

const limits = { timeoutMs: 20, maxTextSize: 100 };

function toolOf(
  run: (call: Call) => Promise<{ answer: string }>,
  toText = (answer: string): string => answer,
  more: { rest?: string } = {},
): Tool {
  return defineTool({
    name: 'try_it',
    title: 'Try',
    description: 'Tries.',
    endpoints: [],
    needs: {},
    input: z.object({}),
    output: z.object({ answer: z.string() }),
    run: (_input, _services, call) => run(call),
    toText: ({ answer }) => toText(answer),
    ...more,
  });
}

const forever = (): Promise<never> => new Promise(() => {});

test('structure and text of a good answer arrive, with what was reported on the way', async () => {
  const tool = toolOf(async ({ reportProgress }) => {
    reportProgress({ progress: 1, total: 2 });
    return { answer: 'yes' };
  });
  expect(await runTool(tool, {})).toEqual({
    structured: { answer: 'yes' },
    text: 'yes',
    progress: [{ progress: 1, total: 2 }],
  });
});

describe('a tool cannot hold a call for ever', () => {
  test('a tool that ignores its deadline is answered for', async () => {
    await expect(runTool(toolOf(forever), { limits })).rejects.toMatchObject({
      code: 'timeout',
      message: 'try_it took longer than 0.02 s and was stopped; ask for less at once',
    });
  });

  test('the deadline reaches the tool as its signal', async () => {
    let seen: AbortSignal | undefined;
    const tool = toolOf(({ signal }) => {
      seen = signal;
      return forever();
    });
    await runTool(tool, { limits }).catch(() => {});
    expect(seen?.reason).toMatchObject({ code: 'timeout' });
  });

  test('what a tool waits for can know the deadline, which is never later than that of the call', async () => {
    const seen: (number | undefined)[] = [];
    const tool = toolOf(async ({ signal }) => {
      seen.push(deadlineOf(signal));
      return { answer: '' };
    });
    const before = performance.now();
    await runTool(tool, { limits: { ...limits, timeoutMs: 60_000 } });
    const { signal } = new AbortController();
    setDeadline(signal, 5);
    await runTool(tool, { call: { signal } });
    expect(seen).toEqual([expect.toSatisfy((at: number) => at >= before + 60_000), 5]);
  });

  test('cancellation by the caller ends the run at once', async () => {
    const controller = new AbortController();
    const running = runTool(toolOf(forever), { call: { signal: controller.signal } });
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: 'canceled' });
  });

  test('a call that was canceled before it began does not run', async () => {
    const run = vi.fn(async () => ({ answer: '' }));
    await expect(runTool(toolOf(run), { call: { signal: AbortSignal.abort() } })).rejects.toMatchObject({
      code: 'canceled',
    });
    expect(run).not.toHaveBeenCalled();
  });

  test('nothing stays behind on a signal that outlives the call', async () => {
    const { signal } = new AbortController();
    for (let turn = 0; turn < 20; turn += 1)
      await runTool(
        toolOf(async () => ({ answer: '' })),
        { call: { signal } },
      );
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('whatever a tool throws becomes an error that a caller may see', () => {
  test('an error that is meant for the caller arrives as it is', async () => {
    const error = new SextantError('not_found', 'no such thing');
    await expect(
      runTool(
        toolOf(() => Promise.reject(error)),
        {},
      ),
    ).rejects.toBe(error);
  });

  test('so does one of another copy of this package', async () => {
    const foreign = Object.assign(new Error('no such thing'), { name: 'SextantError', code: 'not_found' });
    await expect(
      runTool(
        toolOf(() => Promise.reject(foreign)),
        {},
      ),
    ).rejects.toMatchObject({ code: 'not_found', message: 'no such thing' });
  });

  test('what it quotes begins no line of it, and acts on nobody', async () => {
    const error = new SextantError('unavailable', '"a\n# shop\u001b[2J\u202e" is away', { retryAfterSeconds: 5 });
    await expect(
      runTool(
        toolOf(() => Promise.reject(error)),
        {},
      ),
    ).rejects.toMatchObject({ message: '"a\n  # shop\\u001b[2J\\u202e" is away', retryAfterSeconds: 5 });
  });

  test.each([
    ['a bug', () => Promise.reject(new TypeError('secret detail'))],
    ['no error at all', () => Promise.reject('secret detail')],
    ['an answer that breaks the schema', async () => ({ answer: 7 }) as unknown as { answer: string }],
    ['a text that cannot be made', async () => ({ answer: 'boom' })],
  ])('%s is internal, logged under an id, and its message is not shown', async (_case, run) => {
    const error = vi.fn();
    const tool = toolOf(run, () => {
      throw new Error('secret detail');
    });
    const failure = await runTool(tool, { call: { log: { ...silentLogger, error } } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(failure).toMatchObject({
      code: 'internal',
      message: expect.stringMatching(/^internal error [0-9a-f-]{36}; the server's log has/),
    });
    expect(error).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ tool: 'try_it' }), expect.any(String));
    expect((failure as Error).message).not.toContain('secret detail');
    expect((failure as Error).message).toContain(error.mock.calls[0]?.[0].errorId);
  });
});

describe('the answer is bounded', () => {
  test('a long text is cut at a line end, and says so', async () => {
    const tool = toolOf(
      async () => ({ answer: '' }),
      () => `${'x'.repeat(60)}\n${'y'.repeat(250)}`,
    );
    const { text } = await runTool(tool, { limits: { ...limits, maxTextSize: 200 } });
    expect(text).toBe(`${'x'.repeat(60)}\n[cut here: the answer is too long; ask for less at once]`);
  });

  test('with its last line it is no longer than the limit, and the tool says how to go on', async () => {
    const tool = toolOf(
      async () => ({ answer: '' }),
      () => 'y'.repeat(500),
      { rest: 'ask with after: "c1"' },
    );
    const { text } = await runTool(tool, { limits: { ...limits, maxTextSize: 200 } });
    expect(textSize(text)).toBeLessThanOrEqual(200);
    expect(text).toMatch(/^y+\n\[cut here: the answer is too long; ask with after: "c1"\]$/);
  });

  test('structure beyond any honest answer is refused', async () => {
    const tool = toolOf(
      async () => ({ answer: 'x'.repeat(1024 * 1024) }),
      () => '',
    );
    await expect(runTool(tool, { limits })).rejects.toMatchObject({ code: 'too_large' });
  });
});
