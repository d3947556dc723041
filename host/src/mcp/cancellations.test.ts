import type { Announcements } from '@sextant/core';
import { expect, test } from 'vitest';
import { Cancellations } from './cancellations.ts';

type Listener = (text: string | undefined) => void;

/** Hosts that hear each other at once. */
function hosts(count: number): Announcements[] {
  const listeners = new Map<number, Listener[]>();
  return Array.from({ length: count }, (_, host) => ({
    announce: (_topic, text) => {
      for (const [other, heard] of listeners) if (other !== host) for (const listener of heard) listener(text);
    },
    listen: (_topic, listener) => {
      listeners.set(host, [...(listeners.get(host) ?? []), listener]);
      return () => void listeners.delete(host);
    },
  }));
}

const key = { credential: 'access-token:1', endpoint: '/.api/mcp' };

test('a cancellation that reaches another host stops the request', () => {
  const [here, there] = hosts(2).map((announcements) => new Cancellations(announcements));
  const [wanted, other] = [new AbortController(), new AbortController()];
  there?.enter({ ...key, id: 1 }, wanted);
  there?.enter({ ...key, id: 2 }, other);
  here?.cancel(key, { requestId: 1 });
  expect([wanted.signal.aborted, other.signal.aborted]).toEqual([true, false]);
});

test('of two clients with one credential and id none is stopped, on no host', () => {
  const [here, there] = hosts(2).map((announcements) => new Cancellations(announcements));
  const running = [new AbortController(), new AbortController(), new AbortController()];
  here?.enter({ ...key, id: 1 }, running[0] as AbortController);
  here?.enter({ ...key, id: 1 }, running[1] as AbortController);
  there?.enter({ ...key, id: 1 }, running[2] as AbortController);
  here?.cancel(key, { requestId: 1 });
  expect(running.map(({ signal }) => signal.aborted)).toEqual([false, false, false]);
});
