import { token } from '@sextant/core';
import type { FollowedSource } from './hosted-catalog.ts';

/** Used inside this plugin only: the sources, for its commands and its webhook. */
export interface Sources {
  readonly followed: readonly FollowedSource[];
}

export const Sources = token<Sources>('sources', { isForServices: false });
