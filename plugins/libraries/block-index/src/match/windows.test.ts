import { expect, test } from 'vitest';
import { Places } from '../testing/places.ts';
import { search } from './search.ts';

/** 6 MB of lines with two matches each. */
const documents = Array.from({ length: 768 }, () => Buffer.alloc(8192, 'e t ...........\n'));

test('where many matches are, the steps of a combination are small: they need little memory, and others have their turn', () => {
  new Places().both(documents, (place) => {
    const found = search(place, { and: [{ literal: 'e' }, { literal: 't' }] });
    const sizes = [...found].map(({ length }) => length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(768 * 8192 * (2 / 16));
    expect(Math.max(...sizes)).toBeLessThan(150_000);
  });
});
