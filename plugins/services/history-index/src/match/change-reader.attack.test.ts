import { join } from 'node:path';
import { parseQuery } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { expect, test } from 'vitest';
import { startHistory } from '../testing/start-history.ts';

const { signal } = new AbortController();
const alice = callerOf('alice');

/** Lines of one letter, of which git finds no small difference: it takes time as the square of their number. */
function hardLines(seed: number): Buffer {
  const lines = Buffer.alloc(6_000_000, '\n');
  for (let at = 0, state = seed; at < lines.length; at += 2) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    lines[at] = 97 + (state >>> 29);
  }
  return lines;
}

const needles = (sign: string): string =>
  Array.from({ length: 600 }, (_, line) => (line % 60 ? 'same' : `needle ${sign} ${line}`)).join('\n');

test('a search of diffs leaves out a file that git cannot compare, and names it on every call', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r.git'), isBare: true });
  const base = builder.commit({ files: { a: needles('a'), hard: hardLines(1), z: '1\n' } });
  const head = builder.commit({ files: { a: needles('b'), hard: hardLines(2), z: 'needle z\n' } });
  const last = builder.commit({ files: { later: 'needle later\n' } });
  // Commits that are not indexed yet are searched by git.
  await using served = await startHistory({ folder: folder.path, repositories: { r: builder.folder }, hidden: [] });
  const request = { repositories: ['r'], authors: [], revisions: ['main', `^${base}`], isRegex: false, count: 100 };
  for (const pattern of ['needle', 'needle', 'needle z']) {
    const question = { ...request, pattern, sides: ['added'] as const };
    const { results, notes, isLimited } = await served.history.diffs(alice, question, signal);
    const ofHead = results.filter(({ commit }) => commit === head).map(({ path }) => path);
    expect(ofHead).toEqual(pattern === 'needle' ? [...Array(10).fill('a'), 'z'] : ['z']);
    expect(notes.join('\n')).toContain(
      `Left out of r, because git could not compare it in time: hard in commit ${head.slice(0, 12)}.`,
    );
    expect(isLimited).toBe(true);
  }
  const query = await served.history.find(alice, { ...parseQuery('type:diff repo:r later'), limit: 10 }, signal);
  expect(query.results.map(({ commit }) => commit)).toEqual([last]);
});
