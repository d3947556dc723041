import { ShardBuilder } from './builder.ts';
import { readExactly } from '../format/content.ts';
import type { ReadContent } from '../format/content.ts';
import { DamagedShardError } from '../format/errors.ts';
import { hasKeys, HEADER_BYTES, readLayout } from '../format/format.ts';
import type { Table } from '../format/format.ts';

/** The file of a shard that was built without keys, with them, and itself where it has them: its documents, segments and blocks stay what they are. Throws DamagedShardError where the text does not. */
export function addKeys(file: Uint8Array, read: ReadContent): Uint8Array {
  const layout = readLayout(file.subarray(0, HEADER_BYTES), file.length);
  if (hasKeys(layout)) return file;
  const { offsets, documents } = layout;
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const word = (table: Table, i: number): number => view.getUint32(offsets[table] + 4 * i, true);
  const startOf = (document: number): number => word('segmentStart', word('documentSegment', document));
  const builder = new ShardBuilder();
  for (let document = 0; document < documents; document++) {
    const start = startOf(document);
    builder.add(readExactly(read, start, startOf(document + 1) - start));
  }
  const keyed = builder.finish();
  // All tables before that of shapes are the same, with the sums of the text in them.
  const [before, after] = [file, keyed].map((each) => each.subarray(HEADER_BYTES, offsets.blockShapes));
  if (!before || !after || Buffer.compare(before, after) !== 0)
    throw new DamagedShardError('the text of the shard is not what it was built of');
  return keyed;
}
