import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alice, startSymbols } from '../../testing/start-symbols.ts';
import type { StartedSymbols } from '../../testing/start-symbols.ts';

const { signal } = new AbortController();
let served: StartedSymbols;

const python = `class Shape:
    def area(self): pass
class Circle(Shape):
    def area(self): pass
class Square(Shape):
    def area(self): pass

def measure(shape, other):
    if isinstance(shape, Circle):
        shape.area()
    elif isinstance(shape, Square) and other:
        shape.area()
    if isinstance(shape, Square) and shape.area(): pass
    shape.area() if isinstance(shape, Circle) else None
    match other:
        case Square():
            other.area()
        case Circle() as found:
            found.area()
    if not isinstance(other, Square):
        raise ValueError()
    other.area()
    assert isinstance(shape, Circle)
    shape.area()
`;

const typescript = `class Circle { area() {} }
class Square { area() {} }
function measure(shape: unknown, other: unknown) {
  if (shape instanceof Circle) shape.area();
  if (shape instanceof Square && other) {
    shape.area();
  }
  shape instanceof Square && shape.area();
  shape instanceof Circle ? shape.area() : 0;
  if (!(other instanceof Square)) throw new Error();
  other.area();
}
`;

beforeAll(async () => {
  served = await startSymbols({ shop: { 'measure.py': python, 'measure.ts': typescript } });
});
afterAll(() => served[Symbol.asyncDispose]());

describe('a test tells what a value is', () => {
  it.each([
    ['measure.py', 4, [10, 14, 19, 24]],
    ['measure.py', 6, [12, 13, 17, 22]],
    ['measure.ts', 1, [4, 9]],
    ['measure.ts', 2, [6, 8, 11]],
  ])('in %s, of the definition in line %i', async (path, line, uses) => {
    const request = { repo: 'shop', path, symbol: 'area', line, limit: 100 };
    const { files } = await served.symbols.findReferences(alice, request, signal);
    expect(files.flatMap(({ places }) => places.map((place) => place.line))).toEqual(uses);
  });
});
