import { SextantError, textSize } from '@sextant/core';
import { oneRepository } from '@sextant/contracts/testing';
import type { TextFile } from '@sextant/contracts';
import { runTool } from '@sextant/core/testing';
import type { ToolAnswer } from '@sextant/core/testing';
import { describe, expect, test } from 'vitest';
import { readFile } from './index.ts';

function fileOf(text: string, change: Partial<TextFile> = {}): TextFile {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index + 1);
  const lineStarts = [0, ...ends].filter((start) => start < text.length);
  return { text, bytes: Buffer.byteLength(text), encoding: 'utf-8', lineStarts, ...change };
}

const read = (file: TextFile, input: object = {}): Promise<ToolAnswer> =>
  runTool(readFile, {
    input: { repo: 'shop', path: 'a.ts', ...input },
    services: { repositories: oneRepository({ readText: async () => file }) },
  });

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}: line ${from + index}`).join('\n');
const linesOf = (count: number, width = 0): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`.padEnd(width, 'x') + '\n').join('');

test('a file arrives whole, each line with its number, under a heading', async () => {
  const { structured, text } = await read(fileOf('one\ntwo\n'));
  expect(structured).toEqual({
    repo: 'shop',
    path: 'a.ts',
    revision: 'c'.repeat(40),
    startLine: 1,
    endLine: 2,
    totalLines: 2,
    truncated: false,
    content: '1: one\n2: two',
  });
  expect(text).toBe('# shop – a.ts (cccccccccccc, lines 1–2 of 2)\n1: one\n2: two');
});

describe('line ends', () => {
  test.each([
    ['no line end at the end', 'one\ntwo', '1: one\n2: two'],
    ['CRLF', 'one\r\ntwo\r\n', '1: one\n2: two'],
    ['empty lines', '\n\nx\n', '1: \n2: \n3: x'],
    ['CR inside a line stays', 'a\rb\n', '1: a\rb'],
  ])('%s', async (_case, text, content) => {
    expect((await read(fileOf(text))).structured['content']).toBe(content);
  });

  test('an empty file has no lines', async () => {
    const { structured, text } = await read(fileOf(''));
    expect(structured).toMatchObject({ startLine: 1, endLine: 0, totalLines: 0, content: '', truncated: false });
    expect(text).toBe('# shop – a.ts (cccccccccccc, empty)');
  });
});

describe('a range', () => {
  const file = fileOf(linesOf(10));

  test.each([
    [{ startLine: 3, endLine: 5 }, 3, 5],
    [{ startLine: 9 }, 9, 10],
    [{ endLine: 2 }, 1, 2],
    [{ startLine: 10, endLine: 10 }, 10, 10],
    [{ startLine: 8, endLine: 1000 }, 8, 10],
  ])('%j: an endLine past the end means the end', async (range, startLine, endLine) => {
    const { structured } = await read(file, range);
    expect(structured).toMatchObject({ startLine, endLine, content: numbered(startLine, endLine), truncated: false });
  });

  test('a startLine past the end is an error that says how many lines there are', async () => {
    await expect(read(file, { startLine: 11 })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'startLine 11 is past the end: the file has 10 lines',
    });
    await expect(read(fileOf('x'), { startLine: 2 })).rejects.toThrow('the file has 1 line');
  });

  test('an end before the start is an error', async () => {
    await expect(read(file, { startLine: 5, endLine: 4 })).rejects.toThrow(
      'endLine 4 is before startLine 5; give the first line as startLine',
    );
  });

  test.each([[{ startLine: 0 }], [{ endLine: 0 }], [{ startLine: -3 }]])(
    '%j is out of range: a clear error, not a silent clamp',
    async (range) => {
      await expect(read(file, range)).rejects.toThrow(/^Argument "(start|end)Line": must be at least 1, got /);
    },
  );
});

describe('a file of up to 128 KB without a range', () => {
  test('gives its first 1,000 lines, and says how to read on', async () => {
    const { structured, text } = await read(fileOf(linesOf(1001)));
    expect(structured).toMatchObject({ startLine: 1, endLine: 1000, totalLines: 1001, truncated: true });
    expect(text).toMatch(/this is cut after line 1000: ask for the rest with startLine 1001 and endLine\]$/);
    expect((await read(fileOf(linesOf(1000)))).structured).toMatchObject({ endLine: 1000, truncated: false });
  });

  test('gives at most 40 KB of it', async () => {
    const { structured } = await read(fileOf(linesOf(900, 99)));
    expect(structured).toMatchObject({ endLine: Math.floor((40 * 1024) / 100), truncated: true });
  });
});

describe('a file over 128 KB', () => {
  const large = fileOf(linesOf(5000, 40));

  test('without a range gives its first 200 lines and a notice; not an error', async () => {
    const { structured, text } = await read(large);
    expect(structured).toMatchObject({ startLine: 1, endLine: 200, totalLines: 5000, truncated: true });
    expect(text.split('\n')).toHaveLength(202);
    expect(text).toMatch(
      /\n\[the file has 205000 bytes and 5000 lines; this is cut after line 200: ask for the rest with startLine 201 and endLine\]$/,
    );
  });

  test('with a range gives the range, itself cut where it is larger than 54 KB, with the notice', async () => {
    expect((await read(large, { startLine: 4000, endLine: 4100 })).structured).toMatchObject({
      startLine: 4000,
      endLine: 4100,
      truncated: false,
    });
    const { structured } = await read(large, { startLine: 1 });
    expect(structured).toMatchObject({ endLine: expect.any(Number), truncated: true });
    const content = String(structured['content']);
    const size = textSize(JSON.stringify(content));
    expect([size > 45 * 1024, size <= 54 * 1024]).toEqual([true, true]);
    expect(structured['notice']).toMatch(
      new RegExp(
        `cut after line ${Number(structured['endLine'])}: ask for the rest with startLine ${Number(structured['endLine']) + 1} `,
      ),
    );
  });

  test('of one line gives the beginning of the line, in whole characters', async () => {
    const { structured, text } = await read(fileOf('é'.repeat(100_000)));
    expect(structured).toMatchObject({
      startLine: 1,
      endLine: 1,
      totalLines: 1,
      truncated: true,
      content: expect.stringMatching(/^1: é+$/),
    });
    expect(text).toContain('the last line is longer than what is shown');
  });

  test('of nothing but line ends stays within what a result may have', async () => {
    const { structured, text } = await read(fileOf('\n'.repeat(300_000)), { startLine: 1 });
    expect(structured['truncated']).toBe(true);
    expect(textSize(text)).toBeLessThan(60 * 1024);
  });
});

test('text that is not UTF-8 says what it was decoded from', async () => {
  const { text } = await read(fileOf('caf\u00e9\n', { encoding: 'latin1' }));
  expect(text).toBe('# shop – a.ts (cccccccccccc, lines 1–1 of 1)\n1: café\n[decoded from latin1]');
});

test('a call is recorded with the language of the file', () => {
  expect(readFile.filesOf({ path: 'src/a.ts' })).toEqual(['src/a.ts']);
});

test('lines behind a path, as answers write them, are read', async () => {
  const file = fileOf(linesOf(100));
  const readText = async (_commit: string, path: string): Promise<TextFile> => {
    if (path !== 'a.ts') throw new SextantError('not_found', `"${path}" not found`);
    return file;
  };
  const ranges = async (path: string, more: object = {}): Promise<unknown[]> => {
    const services = { repositories: oneRepository({ readText }) };
    const { structured } = await runTool(readFile, { input: { repo: 'shop', path, ...more }, services });
    return [structured['path'], structured['startLine'], structured['endLine']];
  };
  expect(await ranges('a.ts:12-30')).toEqual(['a.ts', 12, 30]);
  expect(await ranges('/a.ts:50')).toEqual(['a.ts', 30, 70]);
  await expect(ranges('b.ts:12')).rejects.toThrow('"b.ts" not found');
  await expect(ranges('a.ts:12', { startLine: 3 })).rejects.toThrow('"a.ts:12" not found');
});
