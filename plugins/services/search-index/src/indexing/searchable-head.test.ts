import { expect, test } from 'vitest';
import { SearchableHead } from './searchable-head.ts';

const { signal } = new AbortController();

/** Heads whose commits are indexed when the test says so. */
function heads(...kept: readonly string[]): {
  heads: SearchableHead;
  asked: string[];
  failures: unknown[];
  end: (commit: string, error?: Error) => void;
} {
  const works = new Map<string, PromiseWithResolvers<void>>();
  const asked: string[] = [];
  const failures: unknown[] = [];
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
  const isIndexed = (commit: string): boolean => kept.includes(commit);
  const onFailure = (error: unknown): void => void failures.push(error);
  return { heads: new SearchableHead({ index, isIndexed, onFailure }), asked, failures, end };
}

const indexed = (of: SearchableHead, head: string): Promise<void> => of.following(head, Promise.resolve());

test('while a commit is indexed who asks first waits for it, and others search the one before', async () => {
  const { heads: of, asked, end } = heads('one', 'two');
  await indexed(of, 'one');
  const first = of.current('two', signal);
  expect(await of.current('two', signal)).toEqual({ commit: 'one' });
  expect(await of.current('one', signal)).toEqual({ commit: 'one' });
  end('two');
  expect(await first).toEqual({ commit: 'two' });
  expect(await of.current('two', signal)).toEqual({ commit: 'two' });
  expect(asked).toEqual(['two']);
});

test('where there is none before, or it is no longer kept, the new one is searched', async () => {
  const { heads: of, asked } = heads();
  expect(await of.current('one', signal)).toEqual({ commit: 'one' });
  await indexed(of, 'one');
  expect(await of.current('two', signal)).toEqual({ commit: 'two' });
  expect(asked).toEqual([]);
});

test('where a commit cannot be indexed the one before is searched, with the reason, and nobody who searches tries again', async () => {
  const { heads: of, asked, failures, end } = heads('one');
  await indexed(of, 'one');
  const first = of.current('broken', signal);
  const failure = new Error('a tree is missing');
  end('broken', failure);
  expect(await first).toEqual({ commit: 'one', failure });
  expect(await of.current('broken', signal)).toEqual({ commit: 'one', failure });
  expect([asked, failures]).toEqual([['broken'], [failure]]);
  expect(() => of.throwIfFailed('broken')).toThrow('a tree is missing');
  await indexed(of, 'broken');
  expect(() => of.throwIfFailed('broken')).not.toThrow();
});

test('what fails while branches are followed is known to who searches; nothing is wrong with HEAD where another branch failed', async () => {
  const { heads: of, asked } = heads('one', 'two');
  await indexed(of, 'one');
  const failure = new Error('the disk is full');
  await expect(of.following('broken', Promise.reject(failure))).rejects.toBe(failure);
  expect(await of.current('broken', signal)).toEqual({ commit: 'one', failure });
  await expect(of.following('two', Promise.reject(failure))).rejects.toBe(failure);
  void of.current('two', signal);
  expect(asked).toEqual(['two']);
});

test('where nothing was indexed before, what failed is not hidden', async () => {
  const { heads: of } = heads();
  await expect(of.following('broken', Promise.reject(new Error('the disk is full')))).rejects.toThrow();
  expect(await of.current('broken', signal)).toEqual({ commit: 'broken' });
  expect(() => of.throwIfFailed('broken')).toThrow('the disk is full');
});

test('who no longer waits ends at once, and the commit is indexed all the same', async () => {
  const { heads: of, end } = heads('one', 'two');
  await indexed(of, 'one');
  const leaving = new AbortController();
  const first = of.current('two', leaving.signal);
  leaving.abort(new Error('left'));
  await expect(first).rejects.toThrow('left');
  end('two');
  await expect.poll(() => of.current('two', signal)).toEqual({ commit: 'two' });
});

test('what can be searched at once is the last one that was indexed, for as long as it is kept', async () => {
  const { heads: of, end } = heads('one', 'two');
  expect(of.searchable).toBeUndefined();
  await indexed(of, 'one');
  const next = of.current('two', signal);
  expect(of.searchable).toBe('one');
  end('two');
  await next;
  expect(of.searchable).toBe('two');
  await indexed(of, 'three');
  expect(of.searchable).toBeUndefined();
});
