import type { Program } from './program.ts';

const WORD = /[0-9A-Za-z_]/;

/** Whether a byte is part of an ASCII word. */
export function isWordByte(byte: number): boolean {
  return byte < 128 && WORD.test(String.fromCharCode(byte));
}

export interface ByteClasses {
  /** Class of each byte. */
  readonly of: Uint16Array;
  /** One byte of each class. */
  readonly samples: readonly number[];
}

/** Bytes that no instruction of the program tells apart are one class: the columns of its automaton. */
export function byteClasses({ instructions, hasWordBorders }: Program): ByteClasses {
  let of = Uint16Array.from({ length: 256 }, (_, byte) => (hasWordBorders && isWordByte(byte) ? 1 : 0));
  const machines = new Set(instructions.flatMap((instruction) => (instruction.op === 'character' ? [instruction.machine] : [])));
  for (const { classes } of machines) of = refine(of, classes);
  of = refine(of, of);
  const samples: number[] = [];
  of.forEach((group, byte) => { samples[group] ??= byte; });
  return { of, samples };
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
