import { expect, test } from 'vitest';
import { HeadsInTurn } from './heads-in-turn.ts';

const { signal } = new AbortController();

/** Heads whose commits are indexed when the test says so. */
function heads(...kept: readonly string[]): {
  heads: HeadsInTurn;
  asked: string[];
  end: (commit: string, error?: Error) => void;
} {
  const works = new Map<string, PromiseWithResolvers<void>>();
  const asked: string[] = [];
  const index = (commit: string): Promise<void> => {
    asked.push(commit);
    const work = Promise.withResolvers<void>();
    works.set(commit, work);
    return work.promise;
  };
  const end = (commit: string, error?: Error): void => {
    const work = works.get(commit);
    if (error) work?.reject(error);
    else work?.resolve();
  };
  return { heads: new HeadsInTurn({ index, isKept: (commit) => kept.includes(commit) }), asked, end };
}

test('while a commit is indexed who asks first waits for it, and others search the one before', async () => {
  const { heads: of, asked, end } = heads('one', 'two');
  of.indexed('one');
  const first = of.current('two', signal);
  expect(await of.current('two', signal)).toBe('one');
  expect(await of.current('one', signal)).toBe('one');
  end('two');
  expect(await first).toBe('two');
  expect(await of.current('two', signal)).toBe('two');
  expect(asked).toEqual(['two']);
});

test('where there is none before, or it is no longer kept, the new one is searched', async () => {
  const { heads: of, asked } = heads();
  expect(await of.current('one', signal)).toBe('one');
  of.indexed('one');
  expect(await of.current('two', signal)).toBe('two');
  expect(asked).toEqual([]);
});

test('a commit that cannot be indexed is not hidden behind the one before', async () => {
  const { heads: of, end } = heads('one');
  of.indexed('one');
  const first = of.current('broken', signal);
  end('broken', new Error('a tree is missing'));
  expect(await first).toBe('broken');
  expect(await of.current('broken', signal)).toBe('broken');
});

test('who no longer waits ends at once, and the commit is indexed all the same', async () => {
  const { heads: of, end } = heads('one', 'two');
  of.indexed('one');
  const leaving = new AbortController();
  const first = of.current('two', leaving.signal);
  leaving.abort(new Error('left'));
  await expect(first).rejects.toThrow('left');
  end('two');
  await expect.poll(() => of.current('two', signal)).toBe('two');
});

test('what can be searched at once is the last one that was indexed, for as long as it is kept', async () => {
  const { heads: of, end } = heads('one', 'two');
  expect(of.searchable).toBeUndefined();
  of.indexed('one');
  const next = of.current('two', signal);
  expect(of.searchable).toBe('one');
  end('two');
  await next;
  expect(of.searchable).toBe('two');
  of.indexed('three');
  expect(of.searchable).toBeUndefined();
});
