/** Whether the name of a branch or tag fits a pattern: `*` stands for any text and `?` for one character. Takes at most length × length steps. */
export function matchesGlob(glob: string, name: string): boolean {
  let [g, n] = [0, 0];
  let [star, from] = [-1, 0];
  while (n < name.length) {
    if (glob[g] === '*') [star, from, g] = [g, n, g + 1];
    else if (glob[g] === '?' || glob[g] === name[n]) [g, n] = [g + 1, n + 1];
    else if (star >= 0) [from, n, g] = [from + 1, from + 1, star + 1];
    else return false;
  }
  while (glob[g] === '*') g += 1;
  return g === glob.length;
}
