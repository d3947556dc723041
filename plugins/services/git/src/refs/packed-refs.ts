import { closeSync, fstatSync, readSync } from 'node:fs';
import { fullHash } from '../objects/object-reader.ts';
import { openRegular } from '../storage/regular-file.ts';

/** A part of the file that is read at a time, and the most in which the beginning of a line is looked for. */
const windowBytes = 8192;

/** Finds the hash of a ref in the packed refs by binary search. Undefined if it is missing, or if the file is not sorted. */
export function packedHash(file: string, ref: string): string | undefined {
  const descriptor = openRegular(file);
  if (descriptor === undefined) return undefined;
  try {
    return new PackedRefs(descriptor).hashOf(Buffer.from(ref).toString('latin1'));
  } finally {
    closeSync(descriptor);
  }
}

/** Lines of `<hash> <ref>` in the order of the bytes of the refs, some followed by one of `^<hash>`, after one that says so. Bytes are characters here: names need not be UTF-8. */
class PackedRefs {
  readonly #descriptor: number;
  readonly #bytes: number;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    this.#bytes = fstatSync(descriptor).size;
  }

  hashOf(ref: string): string | undefined {
    const [header = ''] = this.#read(0).split('\n', 1);
    if (!/^#.* sorted\b/.test(header)) return undefined;
    let low = header.length + 1;
    for (let high = this.#bytes; high - low > windowBytes / 2; ) {
      const line = this.#lineAfter((low + high) >>> 1);
      if (!line || line.start >= high) return undefined;
      if (line.ref <= ref) low = line.start;
      else high = line.start;
    }
    const end = ` ${ref}\n`;
    const line = this.#read(low)
      .split(/(?<=\n)/)
      .find((each) => each.endsWith(end));
    return fullHash.exec(line?.slice(0, -end.length) ?? '')?.[0];
  }

  /** The first ref whose line begins after a place. */
  #lineAfter(place: number): { start: number; ref: string } | undefined {
    const found = /\n[0-9a-f]{40,64} (\S+)\n/.exec(this.#read(place));
    return found ? { start: place + found.index + 1, ref: found[1] ?? '' } : undefined;
  }

  #read(from: number): string {
    const bytes = Buffer.allocUnsafe(windowBytes);
    return bytes.toString('latin1', 0, readSync(this.#descriptor, bytes, 0, windowBytes, from));
  }
}
