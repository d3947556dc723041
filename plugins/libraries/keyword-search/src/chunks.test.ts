import { describe, expect, test } from 'vitest';
import { chunksOf } from './chunks.ts';
import type { RatedLine } from './line-score.ts';
import type { LineChunk, ChunkLimits } from './chunks.ts';

describe('chunks', () => {
  const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`);
  const file = { lineCount: lines.length, lineOf: (line: number): string => lines[line] ?? '' };
  const limits = { chunksPerFile: 3, chunkCharacters: 1024 };
  const at = (...numbers: number[]): { line: number; weight: number }[] => numbers.map((line) => ({ line, weight: 1 }));

  test('show a line before and after, and join what touches', () => {
    expect(chunksOf(at(5, 7, 20), file, limits)).toEqual([
      { startLine: 5, endLine: 9, lines: lines.slice(4, 9) },
      { startLine: 20, endLine: 22, lines: lines.slice(19, 22) },
    ]);
    expect(chunksOf(at(0, 39), file, limits).map(({ startLine, endLine }) => [startLine, endLine])).toEqual([
      [1, 2],
      [39, 40],
    ]);
  });

  test('are the best, best first, at most so many', () => {
    const rated = [...at(1, 10, 20, 30), { line: 35, weight: 2 }];
    expect(chunksOf(rated, file, limits).map(({ startLine }) => startLine)).toEqual([35, 1, 10]);
    expect(chunksOf(rated, file, { ...limits, chunksPerFile: 0 })).toEqual([]);
  });

  test('show no line twice where what touches was not the best', () => {
    const rated = [5, 8, 9, 11].map((line, i) => ({ line, weight: [4, 2, 1, 3][i] ?? 0 }));
    expect(chunksOf(rated, file, limits)).toEqual([{ startLine: 5, endLine: 13, lines: lines.slice(4, 13) }]);
    const short = chunksOf(rated, file, { ...limits, chunkCharacters: 40 });
    expect(short.map(({ startLine, endLine }) => [startLine, endLine])).toEqual([
      [6, 10],
      [11, 13],
    ]);
  });

  test('keep within their characters, the match first', () => {
    expect(chunksOf(at(5), file, { ...limits, chunkCharacters: 8 })).toEqual([
      { startLine: 6, endLine: 6, lines: ['line 5'] },
    ]);
  });

  /** As it is said: line by line, whatever it takes. */
  function chunksAsSaid(rated: readonly RatedLine[], most: ChunkLimits): LineChunk<string>[] {
    const left = new Set(rated.flatMap(({ line }) => [line - 1, line, line + 1]).filter((line) => line in lines));
    const chunks: LineChunk<string>[] = [];
    for (const { line: anchor } of rated.toSorted((a, b) => b.weight - a.weight)) {
      if (chunks.length === most.chunksPerFile || !left.has(anchor)) continue;
      let [from, to, room] = [anchor, anchor, most.chunkCharacters];
      const takes = (line: number): boolean => {
        const { length } = lines[line] ?? '';
        if (!left.has(line) || (length >= room && line !== anchor)) return false;
        room -= length + 1;
        return left.delete(line);
      };
      while (takes(to)) to += 1;
      while (takes(from - 1)) from -= 1;
      chunks.push({ startLine: from + 1, endLine: to, lines: lines.slice(from, to) });
    }
    return chunks;
  }

  test('of any lines', () => {
    let state = 1;
    const random = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    for (let i = 0; i < 500; i += 1) {
      const share = 1 + random(6);
      const rated = [...lines.keys()]
        .filter(() => random(share) === 0)
        .map((line) => ({ line, weight: random(1 + random(4)) }));
      const most = { ...limits, chunksPerFile: random(8), chunkCharacters: 5 + random(60) };
      expect(chunksOf(rated, file, most)).toEqual(chunksAsSaid(rated, most));
    }
  });
});
