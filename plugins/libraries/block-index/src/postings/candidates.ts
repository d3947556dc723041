import type { List, Shard } from '../format/shard.ts';
import { WINDOW } from '../workspace.ts';
import type { Workspace } from '../workspace.ts';
import type { Plan } from './plan.ts';

/** A list with a larger share of the blocks excludes too few of them. */
const DENSE = 0.7;
/** A list that keeps a larger share of the candidates is useless. After MAX_USELESS of them the longer lists are useless, too. */
const USELESS = 0.95;
const MAX_USELESS = 3;
/** Ids that decoding writes beyond those it keeps: two runs. */
const SLACK = 512;

/** The ids of the candidate blocks in memory, which the index narrows step by step. */
export class Candidates {
  /** Address of the ids. */
  readonly ids: number;
  readonly #workspace: Workspace;
  readonly #shard: Shard;

  constructor(workspace: Workspace, shard: Shard) {
    this.#workspace = workspace;
    this.#shard = shard;
    this.ids = workspace.arena.allocate((Math.min(WINDOW, shard.blocks) + SLACK) * 4);
  }

  release(): void {
    this.#workspace.arena.release(this.ids);
  }

  /** Writes the blocks in [from, to) that may match. Returns their number. */
  fill(plan: Plan, from: number, to: number): number {
    const { kernel } = this.#workspace;
    switch (plan.kind) {
      case 'none':
        return 0;
      case 'every':
        return kernel.allBlocks(from, to, this.ids);
      case 'intersection': {
        const [first, ...rest] = plan.lists;
        return this.#narrow(rest, kernel.decodeRange(first.at, first.count, from, to, this.ids));
      }
      case 'union':
        return this.#unite(
          from,
          to,
          plan.lists.map((list) => () => kernel.decodeRange(list.at, list.count, from, to, this.ids)),
        );
      case 'any': {
        const parts = plan.parts.map((part) => this.#copy(this.fill(part, from, to)));
        return this.#unite(
          from,
          to,
          parts.map((part) => () => this.write(part)),
        );
      }
      case 'all':
        return plan.parts
          .slice(1)
          .reduce((count, part) => this.keep(part, count), plan.parts[0] ? this.fill(plan.parts[0], from, to) : 0);
    }
  }

  /** Keeps those of the first `count` candidates that may match. Returns their number. */
  keep(plan: Plan, count: number): number {
    if (count === 0) return 0;
    switch (plan.kind) {
      case 'none':
        return 0;
      case 'every':
        return count;
      case 'intersection':
        return this.#narrow(plan.lists, count);
      case 'all':
        return plan.parts.reduce((left, part) => this.keep(part, left), count);
      case 'union':
      case 'any': {
        const before = this.#copy(count);
        const tests =
          plan.kind === 'union'
            ? plan.lists.map((list) => () => this.#intersect(list, this.write(before)))
            : plan.parts.map((part) => () => this.keep(part, this.write(before)));
        const parts = tests.map((test) => this.#copy(test()));
        const from = before[0] ?? 0;
        return this.#unite(
          from,
          (before.at(-1) ?? 0) + 1,
          parts.map((part) => () => this.write(part)),
        );
      }
    }
  }

  /** Sets one candidate. */
  put(index: number, block: number): void {
    this.#workspace.arena.u32[(this.ids >>> 2) + index] = block;
  }

  /** Sets the candidates. Returns their number. */
  write(blocks: Uint32Array): number {
    this.#workspace.arena.words(this.ids, blocks.length).set(blocks);
    return blocks.length;
  }

  #copy(count: number): Uint32Array {
    return this.#workspace.arena.words(this.ids, count).slice();
  }

  #intersect({ at, count: size }: List, count: number): number {
    return this.#workspace.kernel.intersect(this.ids, count, at, size, this.#workspace.run);
  }

  /** Intersects with lists, the shortest first, until this excludes too few blocks: reading text is cheap, too. */
  #narrow(lists: readonly List[], count: number): number {
    let useless = 0;
    let left = count;
    for (const list of lists) {
      if (left === 0 || useless === MAX_USELESS || list.count > this.#shard.blocks * DENSE) break;
      const before = left;
      left = this.#intersect(list, before);
      useless = left > before * USELESS ? useless + 1 : 0;
    }
    return left;
  }

  /** The union of the ids that each part writes, all in [from, to). */
  #unite(from: number, to: number, parts: readonly (() => number)[]): number {
    if (to - from > WINDOW) throw new Error(`blocks ${from} to ${to} lie further apart than a window`);
    const { arena, kernel, bitmap } = this.#workspace;
    const bytes = Math.ceil((to - from) / 32) * 4;
    arena.u8.fill(0, bitmap, bitmap + bytes);
    for (const write of parts) kernel.setBits(this.ids, write(), from, bitmap);
    return kernel.takeBits(bitmap, bytes, from, this.ids);
  }
}
