import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { latelyUsed } from '../objects/lately-used.ts';
import { signatureOf } from './file-signature.ts';
import { openRegular } from './regular-file.ts';

const maxRemembered = 2000;
const known = latelyUsed<boolean>(maxRemembered);

/** By the sixth byte of the file (gitformat-pack, "multi-pack-index"). */
const hashes: Readonly<Record<number, { algorithm: string; bytes: number }>> = {
  1: { algorithm: 'sha1', bytes: 20 },
  2: { algorithm: 'sha256', bytes: 32 },
};
const hashAt = 5;

/**
 * Whether an index over several packs ends with the hash of what stands before it. Git believes what it reads there, and
 * ends with a signal where it is damaged. True where there is none.
 */
export async function isSoundPackIndex(file: string): Promise<boolean> {
  const { text, isSettled } = signatureOf([file]);
  const key = `${file}\0${text}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const isSound = await hasItsHash(file);
  if (isSettled) known.set(key, isSound);
  return isSound;
}

async function hasItsHash(file: string): Promise<boolean> {
  const path = await realpath(file).catch(() => undefined);
  const descriptor = path === undefined ? undefined : openRegular(path, { whenFull: 'throw' });
  if (path === undefined || descriptor === undefined) return true;
  let [hash, rest] = [createHash('sha1'), Buffer.alloc(0)];
  let bytes: number | undefined;
  for await (const chunk of createReadStream(path, { fd: descriptor })) {
    const all = Buffer.concat([rest, chunk]);
    if (bytes === undefined) {
      const kind = hashes[all[hashAt] ?? 0];
      if (!kind) return false;
      hash = createHash(kind.algorithm);
      bytes = kind.bytes;
    }
    hash.update(all.subarray(0, Math.max(0, all.length - bytes)));
    rest = all.subarray(Math.max(0, all.length - bytes));
  }
  return bytes !== undefined && hash.digest().equals(rest);
}
