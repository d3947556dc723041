import { SextantError } from '@sextant/core';

/** While others wait, one repository is indexed for so long at once. */
const turnSeconds = 60;
/** What is not indexed after so much work is taken to be beyond what can be: the others are ready without it. */
const mostSeconds = 900;

/** The time that repositories have for being indexed, one after the other. */
export class IndexingTurns {
  /** Seconds of work, since all of a repository was indexed or it was given up. */
  readonly #spent = new Map<string, number>();
  readonly #limits: { readonly turnSeconds: number; readonly mostSeconds: number };

  constructor(limits = { turnSeconds, mostSeconds }) {
    this.#limits = limits;
  }

  /** Whether `update` did all; it is asked to stop when others shall have their turn. Throws `timeout` where it takes too long in all. */
  async take(
    name: string,
    { update, doOthersWait }: { update(isOver: () => boolean): Promise<boolean>; doOthersWait(): boolean },
  ): Promise<boolean> {
    const { turnSeconds, mostSeconds } = this.#limits;
    const began = performance.now();
    const before = this.#spent.get(name) ?? 0;
    const seconds = (): number => (performance.now() - began) / 1000;
    const isLate = (): boolean => before + seconds() > mostSeconds;
    const isWhole = await update(() => seconds() > turnSeconds && (doOthersWait() || isLate()));
    const isGivenUp = !isWhole && isLate();
    // When it is tried again it has as long: a very large repository comes to its end like that.
    this.#spent.set(name, isWhole || isGivenUp ? 0 : before + seconds());
    if (isGivenUp)
      throw new SextantError(
        'timeout',
        `its history is not indexed after ${mostSeconds / 60} minutes of work; the newest commits are, git answers for the others`,
      );
    return isWhole;
  }
}
