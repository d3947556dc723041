import { identityText } from '@sextant/contracts';
import type { Identity } from '@sextant/contracts';

/** What one identity did; merges do not count. */
export interface Contributor {
  /** `Name <e-mail>`, as written and as the mailmap maps it. */
  readonly written: string;
  readonly mapped: string;
  commits: number;
  /** Committer date of the newest commit in seconds since 1970. */
  latest: number;
}

/** Counts what identities did. */
export class ContributorCounts {
  readonly #known = new Map<string, Contributor>();

  get all(): Contributor[] {
    return [...this.#known.values()];
  }

  add(author: Identity, time: number, mapped: () => Identity): void {
    const key = keyOf(author);
    const known = this.#known.get(key) ?? {
      written: identityText(author),
      mapped: identityText(mapped()),
      commits: 0,
      latest: -Infinity,
    };
    known.commits += 1;
    known.latest = Math.max(known.latest, time);
    this.#known.set(key, known);
  }
}

export const keyOf = ({ name, email }: Identity): string => `${name}\0${email}`;
