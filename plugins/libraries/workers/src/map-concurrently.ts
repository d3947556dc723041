/**
 * Applies `work` to all items, at most `atOnce` at a time. Results are in the order of the items. After a failure nothing more is
 * begun, and the first is thrown once all that runs has ended: what it uses can be given up then.
 */
export async function mapConcurrently<T, R>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  // The loops share the generator, so that each item is taken once. A loop that throws closes it for the others.
  const left = numbered(items);
  const workOff = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  const loops = Array.from({ length: atOnce }, workOff);
  await Promise.allSettled(loops);
  await Promise.all(loops);
  return results;
}

function* numbered<T>(items: Iterable<T>): Generator<readonly [number, T]> {
  let index = 0;
  for (const item of items) {
    yield [index, item];
    index += 1;
  }
}
