import { point } from '../surface/contribution.ts';

/** A place where a start changes nothing of what is kept, until it ends. */
export interface Rehearsal {
  /** The configuration of the plugin with which it starts there. */
  readonly config: unknown;
  /** Leaves nothing of it. Throws a message that says what is left. */
  end(): Promise<void>;
}

/**
 * From a plugin whose tables are not in the data folder: makes a place with the same tables without their rows. Takes its
 * configuration. Throws where that cannot be; the message says what is to be done.
 */
export type Rehearse = (config: unknown) => Promise<Rehearsal>;

/** How a start of this version is tried before an upgrade. */
export const Rehearsals = point<Rehearse>('rehearsals');
