import { namesIn } from './file-names.ts';
import { NameRuns } from './name-runs.ts';
import { Segment } from './segment.ts';
import type { Key } from './segment.ts';

/** A file, and what it has a name for. */
export interface KeyWithRoles {
  readonly key: Key;
  readonly roles: number;
}

/** Packed symbols of files under their keys, and which of them have a name. */
export class SymbolSegment extends Segment {
  readonly #names: NameRuns;

  constructor(path: string, mode: 'write' | 'read') {
    super(path, mode);
    this.#names = new NameRuns(`${path}.names`, mode);
    // What a process had not written yet when it was ended.
    for (const key of this.keys.slice(this.#names.count)) this.#names.add(this.#namesOf(this.get(key)));
  }

  /** Throws when the disk is full. */
  override add(key: Key, value: Uint8Array): void {
    super.add(key, value);
    this.#names.add(this.#namesOf(value));
  }

  /** In pieces. */
  *having(hash: number): Generator<KeyWithRoles[], void, void> {
    for (const places of this.#names.find(hash))
      yield places.flatMap(({ entry, roles }) => {
        const key = this.keys[entry];
        return key === undefined ? [] : [{ key, roles }];
      });
  }

  override close(): void {
    super.close();
    this.#names.close();
  }

  /** None of what is damaged: it is parsed again when it is read. */
  #namesOf(value: Uint8Array | undefined): ReadonlyMap<number, number> {
    try {
      return value ? namesIn(value) : new Map();
    } catch {
      return new Map();
    }
  }
}
