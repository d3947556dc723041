import { describe, expect, test } from 'vitest';
import type { LineMatches } from './matched-lines.ts';
import { showLine } from './shown-line.ts';
import type { TextReader } from './text.ts';
import { DocumentLines } from './lines.ts';
import type { DocumentLine } from './lines.ts';

const readerOf = (bytes: Buffer, from = 0): TextReader => ({
  bytes: (start, end) => bytes.subarray(start - from, end - from),
});

describe('a line is shown', () => {
  const shown = (line: string, match: string, most = 40): { text: string; found: string[] } => {
    const bytes = Buffer.from(line);
    const start = bytes.indexOf(match);
    const hit = {
      line: 0,
      start: 100,
      end: 100 + bytes.length,
      ranges: [{ start: 100 + start, end: 100 + start + Buffer.byteLength(match), isWordStart: true, isWordEnd: true }],
    };
    const { text, ranges } = showLine(readerOf(bytes, 100), hit, most);
    return { text, found: ranges.map(([from, to]) => text.slice(from, to)) };
  };

  test('as it is, with its matches in UTF-16', () => {
    expect(shown('größer 😀 needle\r', 'needle')).toEqual({ text: 'größer 😀 needle', found: ['needle'] });
    expect(shown('plain needle\r', 'needle')).toEqual({ text: 'plain needle', found: ['needle'] });
  });

  test('around its first match when it is long', () => {
    const { text, found } = shown(`${'ü'.repeat(500)} needle ${'y'.repeat(500)}`, 'needle');
    expect(text.startsWith('…')).toBe(true);
    expect(text.indexOf('needle')).toBeLessThan(40);
    expect(text).not.toContain('\ufffd');
    expect(found).toEqual(['needle']);
  });
});

describe('lines around a match', () => {
  const long = 'ö'.repeat(5000);
  const text = `x${long}\r\nmatch\n\nü\nmatch\n${long}\nmatch\n`;
  const bytes = Buffer.from(`before${text}after`);
  const document = {
    start: 6,
    end: bytes.length - 5,
    reader: readerOf(bytes),
  };
  const hits = [...text.matchAll(/match/g)].map(({ index }) => {
    const start = 6 + Buffer.byteLength(text.slice(0, index));
    return { line: text.slice(0, index).split('\n').length - 1, start, end: start + 5, ranges: [] };
  });

  const textOf = (lines: readonly DocumentLine[]): string => lines.map((line) => line.text).join('\n');
  const linesOf = (all: readonly LineMatches[], place = document): DocumentLines => new DocumentLines(all, place, 9);

  test('have no ends, also long ones, and a last line end begins none', () => {
    const lines = linesOf(hits);
    expect(lines.lineCount).toBe(7);
    const beside: [number, number][] = [
      [0, 0],
      [2, 0],
      [3, 1],
      [5, 1],
    ];
    const around = beside.map(([line, nearest]) => lines.lineOf(line, nearest).text);
    expect(around).toEqual([`x${'ö'.repeat(7)}…`, '', 'ü', `${'ö'.repeat(8)}…`]);
  });

  test('are shown together, and have the length of what is shown', () => {
    const lines = linesOf(hits);
    const all = [0, 0, 0, 1, 1, 1, 2].map((nearest, line) => lines.lineOf(line, nearest));
    expect(textOf(all)).toBe(`x${'ö'.repeat(7)}…\nmatch\n\nü\nmatch\n${'ö'.repeat(8)}…\nmatch`);
    expect(all.map(({ length }) => length)).toEqual([9, 5, 0, 1, 5, 9, 5]);
  });

  test('are shown without CR', () => {
    const dos = Buffer.from('a\r\nmatch\r\n\r\n');
    const place = { start: 0, end: dos.length, reader: readerOf(dos) };
    const lines = linesOf(
      [{ line: 1, start: 3, end: 9, ranges: [{ start: 3, end: 9, isWordStart: true, isWordEnd: true }] }],
      place,
    );
    const all = [0, 1, 2].map((line) => lines.lineOf(line, 0));
    expect(textOf(all)).toBe('a\nmatch\n');
    expect(all.map(({ ranges }) => ranges)).toEqual([undefined, [[0, 5]], undefined]);
  });

  test('end where the document ends', () => {
    expect(linesOf(hits, { ...document, end: document.end + 1 }).lineCount).toBe(8);
    expect(linesOf([]).lineCount).toBe(0);
  });
});
