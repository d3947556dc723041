import type { HostEvent } from '@sextant/contracts';
import { silentLogger } from '@sextant/core';
import { expect, test } from 'vitest';
import type { FollowedSource } from './hosted-catalog.ts';
import { HostEvents } from './host-events.ts';

type Listener = (text: string | undefined) => void;

/** Processes on one database: each hears what the others announce. */
function processes(count: number): { events: HostEvents[]; done: string[][]; lose(): void } {
  const listeners: Listener[] = [];
  const done: string[][] = [];
  const events = Array.from({ length: count }, (_, own) => {
    const did: string[] = [];
    done.push(did);
    const source = {
      configured: { name: 'git' },
      synchroniser: {
        notePush: async (id: string) => void did.push(`push ${id}`),
        noteGone: async () => void did.push('gone'),
        look: async ({ atAll }: { atAll: boolean }) => void did.push(`look${atAll ? ' at all' : ''}`),
      },
      access: { expire: () => void did.push('expire') },
    } as unknown as FollowedSource;
    const announcements = {
      announce: (_topic: string, text: string) => {
        for (const [at, listener] of listeners.entries()) if (at !== own) listener(text);
      },
      listen: (_topic: string, listener: Listener) => {
        listeners.push(listener);
        return () => void listeners.splice(listeners.indexOf(listener), 1);
      },
    };
    return new HostEvents({ followed: [source], announcements, log: silentLogger });
  });
  const lose = (): void => listeners.at(-1)?.(undefined);
  return { events, done, lose };
}

const cases: readonly [HostEvent, own: string[], others: string[]][] = [
  [{ kind: 'pushed', repositoryId: '7' }, ['push 7'], ['push 7']],
  [{ kind: 'access' }, ['expire'], ['expire']],
  // One of them lists all of the host.
  [{ kind: 'repositories' }, ['expire', 'look at all'], ['expire', 'look']],
  [{ kind: 'other' }, [], []],
];

test.each(cases)('what a host tells one process, all follow: %o', async (event, own, others) => {
  const { events, done } = processes(3);
  const [first] = events;
  const [source] = first?.followed ?? [];
  if (!first || !source) throw new Error('it follows a source');
  await first.note(source, event);
  expect(done).toEqual([own, others, others]);
});

test('who may have missed something looks, and believes no old list', () => {
  const { done, lose } = processes(2);
  lose();
  expect(done).toEqual([[], ['expire', 'look', 'gone']]);
});
