import { expect, test } from 'vitest';
import { isLike } from './targets.ts';

test.each([
  ['release/1', 'release/*', true],
  ['release/1', '*', true],
  ['a-release', '*release*', true],
  ['main', 'm?in', true],
  ['main', 'mai', false],
  ['aXbXc', 'a*b*c', true],
  ['abab', '*ab*ab', true],
  ['ab', 'ab*ab', false],
  ['main', 'main*n', false],
])('%s is like %s: %s', (name, glob, expected) => expect(isLike(name, glob)).toBe(expected));
