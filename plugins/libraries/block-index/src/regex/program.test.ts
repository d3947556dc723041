import { expect, test } from 'vitest';
import { compile } from './program.ts';

/** How often members of a set are looked at while it is compiled so many times in a row. */
function looksAt(times: number, isBackward: boolean): number {
  let looks = 0;
  const set = new Proxy([97, 122, 0xc0, 0x24f], {
    get(members, key, self): unknown {
      looks += 1;
      return Reflect.get(members, key, self);
    },
  });
  compile({ kind: 'repeat', body: { kind: 'set', set }, min: 1, max: times, isGreedy: false }, isBackward);
  return looks;
}

test.each([false, true])('a set takes as long to compile when it is repeated (backwards: %s)', (isBackward) => {
  const atFirst = looksAt(1, isBackward);
  expect(atFirst).toBeGreaterThan(0);
  expect(looksAt(1000, isBackward)).toBeLessThanOrEqual(atFirst);
});
