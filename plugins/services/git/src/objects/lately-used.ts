import { LRUCache } from 'lru-cache';

/** Remembers so many values, those that were asked for last. With `max` instead of sizes the room for all of them would be taken at once. */
export const latelyUsed = <Value extends object | string | boolean>(most: number): LRUCache<string, Value> =>
  new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
