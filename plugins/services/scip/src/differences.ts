import { text } from 'node:stream/consumers';
import type { StoredRepository } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';
import { LineMap } from './line-map.ts';

/** Paths of changed files that are remembered, and files whose changed lines are. */
const rememberedPaths = 200_000;
const rememberedFiles = 2000;

const options = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-renames'];

/** From the commit of an index to the one that was asked about. */
export interface Span {
  readonly repository: StoredRepository;
  readonly from: string;
  readonly to: string;
}

/** Carries lines from commit to commit. */
export class Differences {
  readonly #changed = new LRUCache<string, ReadonlySet<string>>({
    maxSize: rememberedPaths,
    sizeCalculation: ({ size }) => size + 1,
  });
  readonly #maps = new LRUCache<string, LineMap>({ max: rememberedFiles });

  async of(span: Span, path: string, signal: AbortSignal): Promise<LineMap> {
    const { repository, from, to } = span;
    if (from === to || !(await this.#changedIn(span, signal)).has(path)) return LineMap.same;
    const key = [repository.name, from, to, path].join('\0');
    const known = this.#maps.get(key) ?? (await changedLines(span, path, signal));
    this.#maps.set(key, known);
    return known;
  }

  async #changedIn({ repository, from, to }: Span, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const key = [repository.name, from, to].join('\0');
    const known = this.#changed.get(key);
    if (known) return known;
    const changed = new Set<string>();
    for await (const entries of repository.changes(from, to, { signal }))
      for (const { path } of entries) changed.add(path);
    this.#changed.set(key, changed);
    return changed;
  }
}

async function changedLines({ repository, from, to }: Span, path: string, signal: AbortSignal): Promise<LineMap> {
  const args = ['diff', '-U0', ...options, '--end-of-options', from, to, '--', path];
  return LineMap.fromDiff(await text(repository.stream({ args, signal })));
}
