import type { HostEvent } from '@sextant/contracts';
import { token } from '@sextant/core';
import type { FollowedSource } from './hosted-catalog.ts';

/** Used inside this plugin only: the sources, for its commands and its webhook. */
export interface Sources {
  readonly followed: readonly FollowedSource[];
  /** Does what a message of a code host asks for, here and on the other hosts and code nodes. */
  note(source: FollowedSource, event: HostEvent): Promise<void>;
}

export const Sources = token<Sources>('sources', { isForServices: false });
