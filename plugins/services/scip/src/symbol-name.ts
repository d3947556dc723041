import { createHash } from 'node:crypto';

/** Names of one file only. */
export const isLocal = (symbol: string): boolean => symbol.startsWith('local ');

/** Names that nobody writes outside of a function or type: local ones, parameters `(x)` and those of types `[T]`. */
export const isInside = (symbol: string): boolean => isLocal(symbol) || /[)\]]$/.test(symbol);

/**
 * A symbol without the version of its package, so that a repository meets those who use an older version of it. A symbol is
 * `scheme manager package version descriptors`; a space that belongs to a part is doubled.
 */
export function withoutVersion(symbol: string): string {
  const spaces: number[] = [];
  for (let at = symbol.indexOf(' '); at >= 0 && spaces.length < 4; at = symbol.indexOf(' ', at + 1)) {
    if (symbol[at + 1] === ' ') at += 1;
    else spaces.push(at);
  }
  const [, , before, after] = spaces;
  return before === undefined || after === undefined ? symbol : symbol.slice(0, before) + symbol.slice(after);
}

/** 40 bits of a hash of a symbol without its version. What has one hash is compared in full. */
export const symbolHash = (symbol: string): number =>
  createHash('sha1').update(withoutVersion(symbol)).digest().readUIntBE(0, 5);
