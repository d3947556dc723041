import { describe, expect, it } from 'vitest';
import { CommittedReads } from './committed-reads.ts';

/** Reads from a counted store whose version the test sets. */
function readsOf(options: { max?: number; version?: number | undefined } = {}) {
  const { max, version } = { max: 10, version: 1, ...options };
  const state: { version: number | undefined; loads: string[] } = { version, loads: [] };
  const reads = new CommittedReads<string, string>({ database: { version: async () => state.version }, max });
  const load = async (key: string): Promise<string | undefined> => {
    state.loads.push(key);
    return key.startsWith('no') ? undefined : `${key} at ${state.version}`;
  };
  return { state, read: (key: string, asOf?: number) => reads.read(key, load, asOf), reads };
}

describe('values read from a database', () => {
  it('are read once while nothing was committed', async () => {
    const { state, read } = readsOf();
    expect([await read('a'), await read('a'), await read('b')]).toEqual(['a at 1', 'a at 1', 'b at 1']);
    expect(state.loads).toEqual(['a', 'b']);
  });

  it('are read again once anything was committed', async () => {
    const { state, read } = readsOf();
    await read('a');
    state.version = 2;
    expect(await read('a')).toBe('a at 2');
  });

  it('are true as of the version that a call has read, and never older for the next one', async () => {
    const { state, read } = readsOf();
    await read('a');
    state.version = 2;
    expect([await read('a', 1), await read('a'), await read('a', 1)]).toEqual(['a at 1', 'a at 2', 'a at 2']);
    expect(await read('a')).toBe('a at 2');
  });

  it('are not kept when something was committed while they were read', async () => {
    const { state, reads, read } = readsOf();
    const overtaken = await reads.read('a', async () => {
      state.version = 2;
      return 'old';
    });
    expect([overtaken, await read('a')]).toEqual(['old', 'a at 2']);
  });

  it('are not kept where it cannot be told whether anything was committed', async () => {
    const { state, read } = readsOf({ version: undefined });
    await read('a');
    await read('a');
    expect(state.loads).toEqual(['a', 'a']);
  });

  it('are at most so many: what was not asked for longest is read again', async () => {
    const { state, read } = readsOf({ max: 2 });
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await read(key);
    expect(state.loads).toEqual(['a', 'b', 'c', 'b']);
  });

  it('are not pushed out by what does not exist', async () => {
    const { state, read } = readsOf({ max: 1 });
    for (const key of ['a', 'no 1', 'no 1', 'a']) await read(key);
    expect(state.loads).toEqual(['a', 'no 1', 'no 1']);
  });
});
