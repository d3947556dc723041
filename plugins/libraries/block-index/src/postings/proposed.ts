import type { Window } from '../match/evaluator.ts';

/** The blocks that the index proposes for a plan, ascending: who comes back to some documents need not ask it again. */
export class Proposed {
  readonly #parts: Uint32Array[] = [];
  /** It is known of all blocks before this one. */
  #end = 0;
  #all: Uint32Array | undefined;

  /** Takes those of a window; of windows in their order. */
  add({ from, to }: Window, blocks: Uint32Array): void {
    if (from !== this.#end) return;
    this.#parts.push(blocks.slice());
    this.#end = to;
    this.#all = undefined;
  }

  /** Whether it is known of the blocks before this one. */
  covers(end: number): boolean {
    return end <= this.#end;
  }

  get blocks(): Uint32Array {
    this.#all ??= concat(this.#parts);
    return this.#all;
  }
}

function concat(parts: readonly Uint32Array[]): Uint32Array {
  const [first] = parts;
  if (first && parts.length === 1) return first;
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let size = 0;
  for (const part of parts) {
    all.set(part, size);
    size += part.length;
  }
  return all;
}
