/** Names in one `use` that are looked at. */
const maxPaths = 1000;

/** Each path that a `use` names: `a::{b, c::{self, *}}` has `a b`, `a c` and `a c *`. */
export function usedPaths(text: string): string[][] {
  const paths: string[][] = [];
  const outer: string[][] = [];
  let path: string[] = [];
  const finish = (): void => {
    const around = outer.at(-1) ?? [];
    // `a::{self}` is the module itself.
    if (path.length > around.length) paths.push(path.length > 1 && path.at(-1) === 'self' ? around : path);
    path = [...around];
  };
  for (const [token] of text.matchAll(/\bas\s+\w+|\w+|[{},*]/g)) {
    if (token === '{') outer.push([...path]);
    else if (token === ',') finish();
    else if (token === '}') {
      finish();
      outer.pop();
      path = [...(outer.at(-1) ?? [])];
    } else if (!/^as\s/.test(token)) path.push(token);
    if (paths.length >= maxPaths) return paths;
  }
  finish();
  return paths;
}
