// @ts-nocheck AssemblyScript
// UTF-8 as RFC 3629 defines it. A byte that belongs to no well-formed character counts as a character of its own.

/** True when a byte of [p, end) is 0x80 or more. */
export function hasHighByte(p: usize, end: usize): bool {
  for (; p + 16 <= end; p += 16) if (i8x16.bitmask(v128.load(p))) return true;
  for (; p < end; p++) if (load<u8>(p) >= 128) return true;
  return false;
}

@inline function isTail(p: usize): bool { return (load<u8>(p) & 0xc0) == 0x80; }

/** Length of the well-formed character at p, or 0. */
export function characterLength(p: usize, end: usize): u32 {
  const a = <u32>load<u8>(p);
  if (a < 0x80) return 1;
  if (a < 0xc2 || a > 0xf4 || p + 1 >= end || !isTail(p + 1)) return 0;
  if (a < 0xe0) return 2;
  const b = <u32>load<u8>(p + 1);
  if (p + 2 >= end || !isTail(p + 2)) return 0;
  if (a < 0xf0) return (a == 0xe0 && b < 0xa0) || (a == 0xed && b > 0x9f) ? 0 : 3;
  if (p + 3 >= end || !isTail(p + 3)) return 0;
  return (a == 0xf0 && b < 0x90) || (a == 0xf4 && b > 0x8f) ? 0 : 4;
}

export function isUtf8(p: usize, end: usize): bool {
  while (p < end) {
    const n = characterLength(p, end);
    if (!n) return false;
    p += n;
  }
  return true;
}

/** Copies [p, end) and writes 0xff, which no well-formed text holds, for each byte of no character. */
export function sanitise(p: usize, end: usize, out: usize): void {
  while (p < end) {
    const n = characterLength(p, end);
    if (!n) { store<u8>(out++, 0xff); p++; continue; }
    memory.copy(out, p, n);
    out += n;
    p += n;
  }
}
