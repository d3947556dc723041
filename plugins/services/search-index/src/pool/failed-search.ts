import { SextantError } from '@sextant/core';
import { DamagedIndexError } from '../shards/loaded-shard.ts';
import type { Failure } from './protocol.ts';

/** Longest time of one search. */
export const searchMs = 50_000;

/** What a failure of a thread is to whoever searches. */
export function errorOf(failure: Failure): Error {
  switch (failure.kind) {
    case 'damage':
      return new DamagedIndexError(failure.shard);
    case 'late':
      return new SextantError(
        'timeout',
        `the search took longer than ${searchMs / 1000} s; narrow it with repo: or file:`,
      );
    case 'limit':
      return new SextantError('too_large', failure.message);
    case 'bug':
      return new Error(failure.message);
  }
}
