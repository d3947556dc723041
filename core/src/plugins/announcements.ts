import { token } from './token.ts';

/**
 * Tells the other hosts of an installation what just happened. A host that is not connected hears nothing: what must not be
 * missed is read from the database.
 */
export interface Announcements {
  /** Waits for nobody. */
  announce(topic: string, text: string): void;
  /**
   * Hears what other hosts announce, until the returned function is called. Without a text: something may have been missed,
   * so read everything again.
   */
  listen(topic: string, listener: (text: string | undefined) => void): () => void;
}

export const Announcements = token<Announcements>('announcements');
