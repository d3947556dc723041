import type { HostEvent } from '@sextant/contracts';
import type { Announcements, Logger } from '@sextant/core';
import { z } from 'zod';
import type { FollowedSource } from './hosted-catalog.ts';
import type { Sources } from './sources.ts';

const topic = 'source-event';

const announced = z.object({
  source: z.string(),
  event: z.union([
    z.object({ kind: z.literal('pushed'), repositoryId: z.string() }),
    z.object({ kind: z.enum(['repositories', 'access', 'other', 'gone']) }),
  ]),
});

/** What a host told, or what the process that it told found then: repositories that it no longer has. */
type Announced = z.output<typeof announced>['event'];

export interface HostEventsOptions {
  readonly followed: readonly FollowedSource[];
  /** Undefined where this process is the only one on its database. */
  readonly announcements: Announcements | undefined;
  readonly log: Logger;
}

/** What code hosts tell one process is followed by all that share its database: each host and node has clones and lists of its own. */
export class HostEvents implements Sources {
  readonly followed: readonly FollowedSource[];
  readonly #announcements: Announcements | undefined;
  readonly #forget: (() => void) | undefined;

  constructor({ followed, announcements, log }: HostEventsOptions) {
    this.followed = followed;
    this.#announcements = announcements;
    const hear = async (text: string | undefined): Promise<void> => {
      if (text === undefined) {
        await Promise.all(
          followed.flatMap((source) => [
            act(source, { kind: 'repositories' }, false),
            act(source, { kind: 'gone' }, false),
          ]),
        );
        return;
      }
      const { source: name, event } = announced.parse(JSON.parse(text));
      const source = followed.find(({ configured }) => configured.name === name);
      if (source) await act(source, event, false);
    };
    this.#forget = announcements?.listen(topic, (text) => {
      hear(text).catch((err: unknown) => log.error({ err }, 'a message of a code host had no effect here'));
    });
  }

  note(source: FollowedSource, event: HostEvent): Promise<void> {
    if (event.kind !== 'other') this.#announce(source.configured.name, event);
    return act(source, event, true);
  }

  /** Tells the others that repositories of a source are gone: they are marked in the database. */
  noteGone(source: string): void {
    this.#announce(source, { kind: 'gone' });
  }

  #announce(source: string, event: Announced): void {
    this.#announcements?.announce(topic, JSON.stringify({ source, event } satisfies z.output<typeof announced>));
  }

  close(): void {
    this.#forget?.();
  }
}

/** `isTold`: by the code host itself. One process lists all of it then, the others what changed. */
async function act({ synchroniser, access }: FollowedSource, event: Announced, isTold: boolean): Promise<void> {
  switch (event.kind) {
    case 'pushed':
      return synchroniser.notePush(event.repositoryId);
    case 'repositories':
      access?.expire();
      return synchroniser.look({ atAll: isTold });
    case 'gone':
      return synchroniser.noteGone();
    case 'access':
      access?.expire();
  }
}
