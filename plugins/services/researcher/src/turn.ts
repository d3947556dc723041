import { Turn } from '@sextant/core';

/** Milliseconds; what other callers wait for needs several turns of the event loop. */
const longestTurnMs = 4;

/** Of all research: what one call takes of the event loop, another one waits for. */
export const turn = new Turn(longestTurnMs);
