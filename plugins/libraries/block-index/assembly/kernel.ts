// @ts-nocheck AssemblyScript: its own compiler checks it (see ../src/kernel.test.ts).
// Entry point of the kernel. It owns no memory and allocates nothing: every address is handed in by the host, and one instance
// per thread may run over the same shared memory at once. Addresses and counts are u32. The format is in docs/block-index.md.
export { decodeRange, encode, intersect, setBits, takeBits } from './postings';
export {
  appendGrams,
  beginBlock,
  beginLists,
  beginSegment,
  endBlock,
  endSegment,
  nextList,
  startPool,
} from './grams';
export { allowedBlocks, allBlocks, countBlocks, documentsOf } from './blocks';
export { addShapes, keepShapes } from './shapes';
export { addDefining, addNames, takeNames } from './names';
export { addPairs, keepPairs, takePairs } from './pairs';
export { mostBlocks } from './needs';
export { find, findWindow } from './scan';
export { countNewlines, lineEnd, lineStart } from './lines';
export { countLiteral } from './count';
export { scanDocument, scanLiteral, scanned, resumeAt } from './literal';
export { scanRegex } from './regex';
export { matchEnd, matchStart } from './automaton';
export { isUtf8 } from './utf8';
export { xxh32 } from './checksum';
