import { joinSignals } from '@sextant/core';
import { setTimeout } from 'node:timers/promises';
import type { GitStore } from '@sextant/contracts';
import type { Catalogue, CatalogueEntry } from '@sextant/contracts/nodes';

/** Milliseconds between two looks at the catalogue, for all hosts together. */
const lookMs = 200;

export interface CatalogueChange {
  readonly isWhole: boolean;
  readonly entries: CatalogueEntry[];
  readonly removed: string[];
  /** Repositories whose refs moved. */
  readonly moved: string[];
}

/** Tells hosts what the node has, and each change of it. */
export class CatalogueFeed {
  readonly #catalogue: Catalogue;
  readonly #stop: () => void;
  readonly #closing = new AbortController();
  readonly #moved = new Map<string, number>();
  #known = new Map<string, { text: string; entry: CatalogueEntry; since: number }>();
  #removed = new Map<string, number>();
  #version = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(catalogue: Catalogue, store: GitStore) {
    this.#catalogue = catalogue;
    this.#stop = store.onChange((name) => {
      this.#version += 1;
      this.#moved.set(name, this.#version);
    });
  }

  async *changes(signal: AbortSignal): AsyncGenerator<CatalogueChange> {
    const ended = joinSignals(signal, this.#closing.signal);
    this.#look();
    yield { isWhole: true, entries: [...this.#known.values()].map(({ entry }) => entry), removed: [], moved: [] };
    let told = this.#version;
    while (await elapsed(lookMs, ended)) {
      this.#look();
      if (this.#version === told) continue;
      const since = <T>(versions: Iterable<readonly [T, number]>): T[] =>
        [...versions].flatMap(([item, version]) => (version > told ? [item] : []));
      const entries = since([...this.#known.values()].map((each) => [each.entry, each.since] as const));
      const change = { isWhole: false, entries, removed: since(this.#removed), moved: since(this.#moved) };
      told = this.#version;
      yield change;
    }
  }

  close(): void {
    this.#stop();
    this.#closing.abort();
  }

  #look(): void {
    const now = performance.now();
    if (now < this.#lookedAt + lookMs / 2) return;
    this.#lookedAt = now;
    const before = this.#known;
    const version = this.#version + 1;
    this.#known = new Map(
      this.#catalogue.entries().map((entry) => {
        const text = JSON.stringify(entry);
        const known = before.get(entry.info.name);
        return [entry.info.name, known?.text === text ? known : { text, entry, since: version }];
      }),
    );
    const gone = [...before.keys()].filter((name) => !this.#known.has(name));
    for (const name of gone) this.#removed.set(name, version);
    for (const name of this.#known.keys()) this.#removed.delete(name);
    const isChanged = gone.length > 0 || [...this.#known.values()].some(({ since }) => since === version);
    if (isChanged) this.#version = version;
  }
}

/** False as soon as the signal aborts. */
const elapsed = (ms: number, signal: AbortSignal): Promise<boolean> =>
  setTimeout(ms, true, { signal }).catch(() => false);
