import type { Job } from './protocol.ts';

/** Called now and then while the index is searched; ends a search whose time is over. */
export const checkpointOf =
  ({ deadline }: Job) =>
  (): void => {
    if (Date.now() > deadline) throw new LateError();
  };

/** The time of a search is over. */
export class LateError extends Error {
  override readonly name = 'LateError';
}
