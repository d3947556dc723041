import { expect, test } from 'vitest';
import { shortSvg } from './short-svg.ts';

test.each([
  [
    '<path d="M50,236L53.249,236L53.249,100.06L53.25,100.06L60.5,90Z"/>',
    '<path d="M50,236H53.2V100.1H53.3L60.5,90Z"/>',
  ],
  ['<path d="M0.04,1L0.01,1L0,2"/>', '<path d="M0,1V2"/>'],
  ['<path d="M1,1L2,1M2,1L2,3"/>', '<path d="M1,1H2M2,1V3"/>'],
  ['<path d="M1,1C2,2,3,3,4,4L4,5"/>', '<path d="M1,1C2,2,3,3,4,4L4,5"/>'],
  ['<rect x="10.96" width="3"/><text>12.3456</text>', '<rect x="11" width="3"/><text>12.3456</text>'],
])('%s is drawn as %s', (svg, short) => {
  expect(shortSvg(svg)).toBe(short);
});
