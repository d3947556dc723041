import type { FoundFile, SearchResult } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { SextantError, metered } from '@sextant/core';
import type { Call } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { describe, expect, test, vi } from 'vitest';
import { migrations } from './files/tables.ts';
import type { FileTables } from './files/tables.ts';
import { callOf, startEvaluator } from './testing/start-evaluator.ts';
import type { Fakes } from './testing/start-evaluator.ts';

const file: FoundFile = {
  repo: 'shop',
  path: 'a.ts',
  commit: 'c'.repeat(40),
  chunks: [],
  matches: [{ line: 3, text: 'f();', ranges: [[0, 1]] }],
  matchCount: 1,
};
const found = (change: Partial<SearchResult> = {}): SearchResult => ({
  type: 'file',
  files: [file],
  matchCount: 1,
  fileCount: 1,
  limitHit: false,
  notes: [],
  ...change,
});

/** Runs one script in an evaluator of its own. */
async function evaluate(
  script: string,
  fakes: Fakes = {},
  { config = {}, call = {} }: { config?: object; call?: Partial<Call> } = {},
): Promise<unknown> {
  using folder = temporaryFolder();
  await using started = await startEvaluator(folder.path, fakes, config);
  return await started.evaluator.run(script, callOf(call));
}

const empty = { output: '', files: [], notes: [], stats: { searches: 0, reads: 0, limitHit: false } };

describe('a script', () => {
  test('answers what it returns and prints', async () => {
    expect(await evaluate('print("one") print("two") return {n = 1}')).toEqual({
      ...empty,
      result: { n: 1 },
      output: 'one\ntwo\n',
    });
  });

  test('says where bytes that are no text were replaced', async () => {
    expect(await evaluate('print("a\\xff")')).toMatchObject({
      output: 'a\u{FFFD}\n',
      notes: ['Bytes that are not UTF-8 were replaced in the output.'],
    });
  });

  test('runs under the permissions and the log of its caller', async () => {
    const find = vi.fn(async () => found());
    const run = vi.fn(async () => ({ files: [] }));
    const call = { caller: callerOf('bob', { id: 7 }), clientName: 'desk' };
    await evaluate('search.keyword("f") tools.list_files{repo = "shop"}', { search: { find }, run }, { call });
    expect(find).toHaveBeenCalledWith(call.caller, expect.anything(), expect.any(AbortSignal));
    expect(run).toHaveBeenCalledWith('list_files', { repo: 'shop' }, expect.objectContaining(call));
  });

  test('tells how far it is', async () => {
    const reportProgress = vi.fn();
    const find = async (): Promise<SearchResult> => found();
    await evaluate('search.keyword("f") search.nls("g")', { search: { find } }, { call: { reportProgress } });
    expect(reportProgress.mock.calls).toEqual([
      [{ progress: 1, message: 'search.keyword' }],
      [{ progress: 2, message: 'search.nls' }],
    ]);
  });
});

describe('an error', () => {
  test('of the script names the line, shows it, and says what was done so far', async () => {
    await expect(evaluate('print("begun")\nlocal x = nil\nreturn x.y')).rejects.toMatchObject({
      code: 'invalid_argument',
      message: [
        "script:3: attempt to index a nil value (local 'x')",
        '3 | return x.y',
        '[done so far: 0 searches, 0 reads]',
        'printed so far:',
        'begun\n',
      ].join('\n'),
    });
  });

  test('of what is not in the sandbox says so', async () => {
    await expect(evaluate('return os.time()')).rejects.toThrow('os is not part of the sandbox');
  });

  test('of a function is what the tool says, and can be caught', async () => {
    const find = async (): Promise<never> => {
      throw new SextantError('invalid_argument', 'the query is too large');
    };
    const script = 'local ok, why = pcall(search.keyword, "a") return why';
    expect(await evaluate(script, { search: { find } })).toMatchObject({
      result: 'search.keyword: the query is too large',
    });
  });

  test('that is nobody’s business is not told to the script', async () => {
    const find = async (): Promise<never> => {
      throw new TypeError('secret');
    };
    await expect(evaluate('return pcall(search.keyword, "x")', { search: { find } })).rejects.toThrow(TypeError);
  });
});

describe('over a limit a script is stopped from outside, with what was done so far', () => {
  test('time: what it printed is told, and what it had of the processor counts for its caller', async () => {
    const script = 'print("begun") while true do end';
    const add = vi.fn();
    const stopped = metered({ add }, () => evaluate(script, {}, { config: { seconds: 1 } }));
    await expect(stopped).rejects.toMatchObject({
      code: 'timeout',
      message:
        'the script took longer than 1 s and was stopped; do less in one script\n[done so far: 0 searches, 0 reads]\nprinted so far:\nbegun\n',
    });
    expect(add.mock.calls).toEqual([[expect.any(Number)]]);
    expect(add.mock.calls[0]?.[0]).toBeGreaterThan(0);
  });

  test.each([
    ['a loop that catches every error', 'while true do pcall(function() while true do end end) end'],
    ['a pattern that takes for ever', 'return ("x"):rep(3e5):match("(.-)(.-)%1y")'],
    ['a finalizer that never ends', 'while true do setmetatable({}, {__gc = function() while true do end end}) end'],
    ['a text form that never ends', 'error(setmetatable({}, {__tostring = function() while true do end end}))'],
    ['a coroutine that never ends', 'coroutine.wrap(function() while true do end end)()'],
    ['a source that never ends', 'load(function() return " " end)'],
    ['calls that never end', 'local function f() return f() end f()'],
  ])('time: %s', async (_what, script) => {
    await expect(evaluate(script, {}, { config: { seconds: 0.1 } })).rejects.toMatchObject({ code: 'timeout' });
  });

  test('time: also while it waits for a search, which is aborted', async () => {
    const aborted = vi.fn();
    const find: NonNullable<Fakes['search']>['find'] = (_caller, _request, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted();
          reject(signal.reason);
        });
      });
    await expect(evaluate('search.keyword("x")', { search: { find } }, { config: { seconds: 0.2 } })).rejects.toThrow(
      /took longer than 0\.2 s.*\n\[done so far: 1 searches/,
    );
    expect(aborted).toHaveBeenCalledOnce();
  });

  test('memory', async () => {
    const script = 'print("begun") local t = {} while true do t[#t + 1] = ("x"):rep(1000) .. #t end';
    await expect(evaluate(script, {}, { config: { megabytes: 20 } })).rejects.toMatchObject({
      code: 'exhausted',
      message: expect.stringMatching(/^the script ran out of memory[^]*begun/),
    });
  });

  test.each([
    [
      'searches',
      'search.keyword("x")',
      /^the script made more than 3 searches; .*\n\[done so far: 3 searches, 0 reads\]/,
    ],
    ['searches', 'tools.find_references{}', /^the script made more than 3 searches; /],
    ['reads', 'source.list_files{}', /^the script made more than 3 reads; .*\n\[done so far: 0 searches, 3 reads\]/],
    ['searches', 'tools.nothing{}', /^the script made more than 3 searches; /],
    ['reads', 'tools.read_file{}', /^the script made more than 3 reads; /],
  ])('%s: %s, which the script cannot catch', async (kind, call, message) => {
    const fakes = { search: { find: async () => found() }, run: async () => ({}) };
    const script = `for i = 1, 10 do pcall(function() ${call} end) end return "survived"`;
    await expect(evaluate(script, fakes, { config: { [kind]: 3 } })).rejects.toMatchObject({
      code: 'exhausted',
      message: expect.stringMatching(message),
    });
  });

  test('output: a million prints', async () => {
    await expect(evaluate('for i = 1, 1e6 do print(i) end', {}, { config: { outputBytes: 5 } })).rejects.toMatchObject({
      code: 'exhausted',
      message: expect.stringMatching(/^the script printed more than 5 bytes; [^]*printed so far:\n1\n2\n3$/),
    });
  });

  test('the result', async () => {
    await expect(evaluate('return ("x"):rep(100)', {}, { config: { resultCharacters: 50 } })).rejects.toThrow(
      /^the value is too large; return or encode less of it/,
    );
  });

  test('matches of one search: `stats.limitHit` says so', async () => {
    const fakes = { search: { find: async () => found({ files: [file, file], matchCount: 2 }) } };
    const script = 'local r = search.keyword("x") return #r.matches, r.stats';
    expect(await evaluate(script, fakes, { config: { matchesPerSearch: 1 } })).toMatchObject({
      result: [1, { matchCount: 2, limitHit: true }],
      stats: { searches: 1, limitHit: true },
    });
  });
});

describe('calls at the same time', () => {
  test('a canceled one stops at once, and its thread with it', async () => {
    const controller = new AbortController();
    const reason = new SextantError('canceled', 'enough');
    // It is canceled while it runs: the first thing that it does tells so.
    const call = { signal: controller.signal, reportProgress: () => controller.abort(reason) };
    const fakes = { search: { find: async () => found() } };
    const running = evaluate('search.keyword("x") while true do end', fakes, { config: { seconds: 50 }, call });
    await expect(running).rejects.toBe(reason);
  });

  test('are answered though others loop, also with many of one user', async () => {
    using folder = temporaryFolder();
    await using started = await startEvaluator(folder.path, {}, { threads: 2, seconds: 50 });
    const { evaluator } = started;
    const controller = new AbortController();
    const hostile = { caller: callerOf('mallory', { id: 2 }), signal: controller.signal };
    const loops = Array.from({ length: 8 }, () => evaluator.run('while true do end', callOf(hostile)));
    const ended = Promise.allSettled(loops);
    const detail = { threads: 2, running: 1, waiting: 7 };
    expect(started.status()['evaluator']).toEqual({ isReady: true, detail });
    for (let n = 0; n < 5; n += 1) expect(await evaluator.run(`return ${n}`, callOf())).toMatchObject({ result: n });
    controller.abort(new SextantError('canceled', 'enough'));
    expect((await ended).every(({ status }) => status === 'rejected')).toBe(true);
  });

  test('end when the server stops', async () => {
    using folder = temporaryFolder();
    const started = await startEvaluator(folder.path, {}, { threads: 2 });
    const running = Promise.allSettled([
      started.evaluator.run('while true do end', callOf()),
      started.evaluator.run('while true do end', callOf()),
    ]);
    await started[Symbol.asyncDispose]();
    for (const result of await running)
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
  });
});

describe('files.write', () => {
  test('answers where the file is', async () => {
    const url = expect.stringMatching(/^http:\/\/localhost\/evaluator\/files\/[0-9a-f]{32}$/);
    expect(await evaluate('return files.write("a.csv", "x")')).toMatchObject({
      result: { name: 'a.csv', bytes: 1, url },
      files: [{ name: 'a.csv', bytes: 1, url }],
    });
    await expect(evaluate('files.write("a.html", "x")')).rejects.toThrow(
      /^script:1: files\.write: "a\.html" must end in /,
    );
  });

  test('the second of one name takes the place of the first', async () => {
    expect(await evaluate('files.write("a.txt", "1") files.write("a.txt", "22")')).toMatchObject({
      files: [{ name: 'a.txt', bytes: 2 }],
    });
  });

  test('a file over its size, and one file too many, stop the script', async () => {
    await expect(evaluate('files.write("a.txt", "12345")', {}, { config: { fileBytes: 4 } })).rejects.toThrow(
      /^files\.write: a\.txt would have 5 bytes; a file has 4 at most/,
    );
    const script = 'for i = 1, 3 do files.write(i .. ".txt", "x") end';
    await expect(evaluate(script, {}, { config: { filesPerScript: 2 } })).rejects.toThrow(
      /more than 2 files\n\[done so far: 0 searches, 0 reads\]\nfile 1\.txt: http[^]*file 2\.txt: http/,
    );
  });

  test('the files of one user do not fill the disk', async () => {
    using folder = temporaryFolder();
    await using started = await startEvaluator(folder.path, {}, { storedBytesPerUser: 10 });
    const { evaluator } = started;
    await evaluator.run('files.write("a.txt", "12345678")', callOf());
    await expect(evaluator.run('files.write("b.txt", "123")', callOf())).rejects.toThrow(/more than 10 bytes/);
    await evaluator.run('files.write("b.txt", "123")', callOf({ caller: callerOf('bob', { id: 2 }) }));
  });

  test('only its creator reads it, for a day; then it is gone from the database too', async () => {
    using folder = temporaryFolder();
    await using started = await startEvaluator(folder.path);
    const { evaluator } = started;
    const { files } = await evaluator.run('files.write("a.txt", "caf\\xe9")', callOf());
    const id = files[0]?.url.split('/').at(-1) ?? '';
    const alice = callerOf('alice');
    const read = await evaluator.readFile(alice, id);
    expect([read.name, Buffer.from(read.content).toString('latin1')]).toEqual(['a.txt', 'café']);
    const gone = { code: 'not_found', message: expect.stringMatching(/^there is no such file/) };
    for (const [caller, wanted] of [
      [callerOf('bob', { id: 2 }), id],
      [callerOf('root', { id: 3, isSiteAdmin: true }), id],
      [alice, 'f'.repeat(32)],
      [alice, `../${id}`],
      [alice, ''],
    ] as const)
      await expect(evaluator.readFile(caller, wanted)).rejects.toMatchObject(gone);
    const tomorrow = Date.now() + 24 * 3_600_000 + 1;
    vi.useFakeTimers({ toFake: ['Date'], now: tomorrow });
    try {
      await expect(evaluator.readFile(alice, id)).rejects.toMatchObject(gone);
      // A server that starts removes what is old.
      await using again = await startEvaluator(folder.path);
      await again[Symbol.asyncDispose]();
    } finally {
      vi.useRealTimers();
    }
    const db = await started.database.open<FileTables>({ name: 'evaluator', migrations });
    expect(await db.selectFrom('evaluator_file').selectAll().execute()).toEqual([]);
  });
});
