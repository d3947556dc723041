import type { Shard } from '../format/shard.ts';
import { WINDOW } from '../workspace.ts';
import type { Workspace } from '../workspace.ts';
import type { BlockPlan } from './plan.ts';
import type { Window } from '../match/evaluator.ts';

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
  fill(plan: BlockPlan, from: number, to: number): number {
    const { kernel } = this.#workspace;
    switch (plan.kind) {
      case 'none':
        return 0;
      case 'every':
        return kernel.allBlocks(from, to, this.ids);
      case 'list':
        return kernel.decodeRange(plan.list.at, plan.list.count, from, to, this.ids);
      case 'all': {
        const [first, ...rest] = plan.parts;
        return first ? this.#narrow(rest, this.fill(first, from, to)) : 0;
      }
      case 'any':
        return this.#unite(plan.parts, { from, to }, (part) => this.fill(part, from, to));
    }
  }

  /** Keeps those of the first `count` candidates that may match. Returns their number. */
  keep(plan: BlockPlan, count: number): number {
    switch (plan.kind) {
      case 'none':
        return 0;
      case 'every':
        return count;
      case 'list':
      case 'all':
        return this.#narrow(plan.kind === 'all' ? plan.parts : [plan], count);
      case 'any': {
        if (count === 0) return 0;
        const before = this.#copy(count);
        const range = { from: before[0] ?? 0, to: (before.at(-1) ?? 0) + 1 };
        return this.#unite(plan.parts, range, (part) => this.keep(part, this.write(before)));
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

  /** Narrows the candidates by each part. Lists that exclude too few blocks are left out: reading text is cheap, too. */
  #narrow(parts: readonly BlockPlan[], count: number): number {
    const { kernel, run } = this.#workspace;
    let [useless, left] = [0, count];
    for (const part of parts) {
      if (left === 0) break;
      const before = left;
      if (part.kind !== 'list') left = this.keep(part, before);
      else if (useless < MAX_USELESS && part.list.count <= this.#shard.blocks * DENSE) {
        left = kernel.intersect(this.ids, before, part.list.at, part.list.count, run);
        useless = left > before * USELESS ? useless + 1 : 0;
      }
    }
    return left;
  }

  /** The union of the ids that each part writes, all in a window. Parts need the bitmap, too, but for lists: these are written last. */
  #unite(parts: readonly BlockPlan[], { from, to }: Window, writePart: (part: BlockPlan) => number): number {
    if (to - from > WINDOW) throw new Error(`blocks ${from} to ${to} lie further apart than a window`);
    const { arena, kernel, bitmap } = this.#workspace;
    const written = parts.map((part) => (part.kind === 'list' ? part : this.#copy(writePart(part))));
    const bytes = Math.ceil((to - from) / 32) * 4;
    arena.u8.fill(0, bitmap, bitmap + bytes);
    for (const part of written)
      kernel.setBits(this.ids, 'kind' in part ? writePart(part) : this.write(part), from, bitmap);
    return kernel.takeBits(bitmap, bytes, from, this.ids);
  }
}
