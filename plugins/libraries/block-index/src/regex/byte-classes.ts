import type { Program } from './program.ts';

const WORD = /[0-9A-Za-z_]/;

/** Whether a byte is part of an ASCII word. */
export function isWordByte(byte: number): boolean {
  return byte < 128 && WORD.test(String.fromCharCode(byte));
}

/** Word bytes and others, numbered in the order of their first bytes. */
const WORDS = Uint16Array.from({ length: 256 }, (_, byte) => (isWordByte(byte) ? 1 : 0));

export interface ByteClasses {
  /** Class of each byte. */
  readonly of: Uint16Array;
  /** One byte of each class. */
  readonly samples: readonly number[];
}

/** Bytes that no instruction of the program tells apart are one class: the columns of its automaton. */
export function byteClasses({ instructions, hasWordBorders }: Program): ByteClasses {
  let of = hasWordBorders ? WORDS : new Uint16Array(256);
  const machines = new Set(
    instructions.flatMap((instruction) => (instruction.op === 'character' ? [instruction.machine] : [])),
  );
  for (const { classes } of machines) of = intersect(of, classes);
  const samples: number[] = [];
  of.forEach((group, byte) => {
    samples[group] ??= byte;
  });
  return { of, samples };
}

const groupOf = new Uint16Array(0x1_0000);
const writtenAt = new Uint32Array(0x1_0000);
let writes = 0;

/** The same for rows of less than 256 values, without a map: this happens for each character of each pattern. */
function intersect(of: Uint16Array, row: Uint16Array): Uint16Array<ArrayBuffer> {
  const refined = new Uint16Array(256);
  writes++;
  for (let byte = 0, groups = 0; byte < 256; byte++) {
    const key = (of[byte] ?? 0) * 256 + (row[byte] ?? 0);
    if (writtenAt[key] !== writes) {
      writtenAt[key] = writes;
      groupOf[key] = groups++;
    }
    refined[byte] = groupOf[key] ?? 0;
  }
  return refined;
}

/** Splits classes so that all bytes of one have the same value in a row, too; numbers them in the order of their first bytes. */
export function refine(of: Uint16Array, row: Uint16Array): Uint16Array<ArrayBuffer> {
  const groups = new Map<number, number>();
  return Uint16Array.from(of, (group, byte) => {
    const key = group * 0x1_0000 + (row[byte] ?? 0);
    const known = groups.get(key) ?? groups.size;
    groups.set(key, known);
    return known;
  });
}
