/** FNV-1a of 32 bits (draft-eastlake-fnv): the hash of nothing, and that of one number more; unsigned by `>>> 0`. */
export const fnvStart = 0x81_1c_9d_c5;
export const fnvWith = (hash: number, next: number): number => Math.imul(hash ^ next, 0x01_00_01_93);
