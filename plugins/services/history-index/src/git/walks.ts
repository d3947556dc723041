import type { StoredRepository } from '@sextant/contracts';
import type { Tips } from './tips.ts';

/** Commits that are kept, of all walks together. */
const mostCommits = 1_000_000;

/** Commits without merges, newest first. */
export interface Walked {
  readonly hashes: readonly string[];
  /** Committer dates in seconds since 1970. */
  readonly times: readonly number[];
}

/** What is reachable from tips. Commits never change, so that a walk is made once. */
export class Walks {
  readonly #known = new Map<string, Walked>();

  async of(repository: StoredRepository, tips: Tips, signal: AbortSignal): Promise<Walked> {
    const key = [repository.name, ...tips.include, '^', ...tips.exclude].join(' ');
    const walked = this.#known.get(key) ?? (await walk(repository, tips, signal));
    // A map is in the order of insertion: the first is the one that was not asked for longest.
    this.#known.delete(key);
    this.#known.set(key, walked);
    this.#forgetOldest();
    return walked;
  }

  #forgetOldest(): void {
    let kept = [...this.#known.values()].reduce((sum, { hashes }) => sum + hashes.length, 0);
    for (const [key, { hashes }] of this.#known) {
      if (kept <= mostCommits) return;
      this.#known.delete(key);
      kept -= hashes.length;
    }
  }
}

async function walk(repository: StoredRepository, { include, exclude }: Tips, signal: AbortSignal): Promise<Walked> {
  const hashes: string[] = [];
  const times: number[] = [];
  let rest = '';
  const input = [Buffer.from([...include, ...exclude.map((hash) => `^${hash}`)].map((line) => `${line}\n`).join(''))];
  const args = ['rev-list', '--no-merges', '--timestamp', '--stdin'];
  for await (const chunk of repository.stream({ args, input, signal })) {
    const lines = (rest + Buffer.from(chunk).toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const space = line.indexOf(' ');
      times.push(Number(line.slice(0, space)));
      hashes.push(line.slice(space + 1));
    }
  }
  return { hashes, times };
}
