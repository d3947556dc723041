import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isOutOfDescriptors } from '@sextant/core';
import { LRUCache } from 'lru-cache';
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

/** Opens a file for a while. Throws the error of the file system. */
export function withFile<T>(path: string, use: (bytes: number, read: ByteSource) => T): T {
  const descriptor = openSync(path, 'r');
  try {
    return use(fstatSync(descriptor).size, fileSource(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

/** Files that a thread keeps open to read on from them; there may be far more files than a process may have open. */
const mostOpen = 16;
/** By path. */
const open = new LRUCache<string, number>({ max: mostOpen, dispose: (descriptor) => closeSync(descriptor) });

/** Reads a file that is open only as long as the thread reads no others. Throws the error of the file system where it is gone. */
export const pathSource =
  (path: string): ByteSource =>
  (into, offset) =>
    fileSource(opened(path))(into, offset);

/** Closes a file that `pathSource` has read. */
export const closePath = (path: string): void => void open.delete(path);

function opened(path: string): number {
  const known = open.get(path);
  if (known !== undefined) return known;
  const descriptor = openWithRoom(path);
  open.set(path, descriptor);
  return descriptor;
}

function openWithRoom(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (!isOutOfDescriptors(error) || open.size === 0) throw error;
    open.clear();
    return openSync(path, 'r');
  }
}

const tooShort = (bytes: number): DamagedShardError => new DamagedShardError(`the file ends after ${bytes} bytes`);
