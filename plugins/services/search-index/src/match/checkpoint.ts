import type { Job } from '../pool/protocol.ts';

/** The time of a search is over. */
export class LateError extends Error {
  override readonly name = 'LateError';
}

/** To be called now and then during a search; ends it when its time is over. */
export const checkpointOf =
  ({ deadline }: Pick<Job, 'deadline'>) =>
  (): void => {
    if (Date.now() > deadline) throw new LateError();
  };
