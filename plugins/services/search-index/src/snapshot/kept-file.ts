import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

const sumBytes = 4;

/** What was kept in a file; undefined where nothing was, or it is damaged. */
export async function readKept(path: string): Promise<Buffer | undefined> {
  const file = await readFile(path).catch(() => undefined);
  if (!file || file.length < sumBytes) return undefined;
  const kept = file.subarray(sumBytes);
  return file.readUInt32LE(0) === crc32(kept) ? kept : undefined;
}

/** Keeps bytes with their checksum: the file is there as a whole or not at all. */
export async function writeKept(path: string, parts: readonly Uint8Array[]): Promise<void> {
  const sum = Buffer.alloc(sumBytes);
  sum.writeUInt32LE(parts.reduce((before, part) => crc32(part, before), 0));
  const partial = `${path}.${process.pid}.partial`;
  try {
    await writeFile(partial, [sum, ...parts], { mode: 0o600 });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
