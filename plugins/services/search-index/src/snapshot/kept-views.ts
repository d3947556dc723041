import type { Snapshot } from './snapshot.ts';

/** So many stay however large they are: who makes one searches it next. */
const fewest = 8;

/** Snapshots of commits that are no branch, of all repositories: they stay for the next question as long as there is room for them, and those that nobody asked for the longest go first. */
export class SnapshotCache {
  readonly #mostBytes: number;
  /** With what forgets them, the one asked for last at the end. */
  readonly #views = new Map<Snapshot, () => void>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Of one that is kept already: it was asked for again. */
  keep(view: Snapshot, forget: () => void): void {
    this.leave(view);
    this.#views.set(view, forget);
    this.#bytes += view.bytes;
    for (const [oldest, forgetOldest] of this.#views) {
      if (this.#bytes <= this.#mostBytes || this.#views.size <= fewest) return;
      this.leave(oldest);
      forgetOldest();
    }
  }

  /** It stays without this, or is forgotten already. */
  leave(view: Snapshot): void {
    if (this.#views.delete(view)) this.#bytes -= view.bytes;
  }
}
