// @ts-nocheck AssemblyScript: its own compiler checks these files (see ../kernel.test.ts).

// The entry point: everything that TypeScript calls. ../kernel.ts declares the same functions with their types.
// The kernel allocates no memory. The host passes every address, and one instance per thread runs over the same shared memory.
// Addresses and counts are u32. ../../format/format.ts describes the file of a shard.
export { decodeRange, encode, intersect, setBits, takeBits } from './postings';
export { appendNames } from './names';
export {
  addToBlock,
  appendTrigrams,
  beginBlock,
  beginLists,
  beginSegment,
  endBlock,
  endSegment,
  nextList,
  startPool,
} from './trigrams';
export { allowedBlocks, allBlocks, countBlocks, documentsOf } from './shard-tables';
export { find, findWindow } from './text';
export { countNewlines, lineEnd, lineStart } from './text';
export { scanDocument, scanLiteral, scanned, resumeAt } from './literal';
export { scanRegex } from './regex';
export { matchEnd, matchStart } from './regex';
export { isUtf8 } from './text';
