import { readSync } from 'node:fs';
import { DamagedShardError } from '../errors.ts';

/** Fills `into` with the bytes from an offset on, without a copy in between. Throws DamagedShardError if there are fewer. */
export type ByteSource = (into: Uint8Array, offset: number) => void;

export const memorySource =
  (bytes: Uint8Array): ByteSource =>
  (into, offset) => {
    if (offset + into.length > bytes.length) throw tooShort(bytes.length);
    into.set(bytes.subarray(offset, offset + into.length));
  };

export const fileSource =
  (descriptor: number): ByteSource =>
  (into, offset) => {
    for (let at = 0; at < into.length; ) {
      const count = readSync(descriptor, into, at, into.length - at, offset + at);
      if (count === 0) throw tooShort(offset + at);
      at += count;
    }
  };

const tooShort = (bytes: number): DamagedShardError => new DamagedShardError(`the file ends after ${bytes} bytes`);
