import { dirname, isAbsolute, relative, sep } from 'node:path';

/** Where the files of some repositories may be: below the operator's folders for them, and not below one that is for others. */
export class Boundary {
  readonly #own: readonly string[];
  readonly #foreign: readonly string[];

  /** Real paths. A foreign folder counts where it is nearer than an own one. */
  constructor({ own, foreign }: { own: readonly string[]; foreign: readonly string[] }) {
    this.#own = own;
    this.#foreign = foreign;
  }

  /** Whether a file or folder, by its real path, may belong to them. */
  holds(path: string): boolean {
    const nearest = longest(this.#own, path);
    return nearest > 0 && longest(this.#foreign, path) <= nearest;
  }

  /**
   * A folder of the repository and those above it, up to the operator's folder. Whoever may write to one of them can
   * replace another.
   */
  replaceable(path: string): string[] {
    const own = longest(this.#own, path);
    return own === 0 || own === path.length ? [] : [path, ...this.replaceable(dirname(path))];
  }

  with(others: readonly string[]): Boundary {
    return new Boundary({ own: [...this.#own, ...others], foreign: this.#foreign });
  }
}

/** The length of the longest folder that holds a path; 0 for none. */
const longest = (folders: readonly string[], path: string): number =>
  Math.max(0, ...folders.filter((folder) => isBelow(folder, path)).map(({ length }) => length));

/** Whether a path is a folder or below it. */
function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
