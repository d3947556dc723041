// @ts-nocheck AssemblyScript
// XXH32 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md): its four accumulators are the four lanes of one vector.
const P1: u32 = 0x9e3779b1,
  P2: u32 = 0x85ebca77,
  P3: u32 = 0xc2b2ae3d,
  P4: u32 = 0x27d4eb2f,
  P5: u32 = 0x165667b1;

/** XXH32 of `length` bytes at p. */
export function xxh32(p: usize, length: u32, seed: u32): u32 {
  const end = p + length;
  let hash = seed + P5;
  if (length >= 16) {
    const p1 = i32x4.splat(<i32>P1),
      p2 = i32x4.splat(<i32>P2);
    let lanes = i32x4.replace_lane(
      i32x4.replace_lane(i32x4.replace_lane(i32x4.splat(<i32>seed), 0, <i32>(seed + P1 + P2)), 1, <i32>(seed + P2)),
      3,
      <i32>(seed - P1),
    );
    for (; p + 16 <= end; p += 16) {
      const sum = i32x4.add(lanes, i32x4.mul(v128.load(p), p2));
      lanes = i32x4.mul(v128.or(i32x4.shl(sum, 13), i32x4.shr_u(sum, 19)), p1);
    }
    hash =
      rotl<u32>(i32x4.extract_lane(lanes, 0), 1) +
      rotl<u32>(i32x4.extract_lane(lanes, 1), 7) +
      rotl<u32>(i32x4.extract_lane(lanes, 2), 12) +
      rotl<u32>(i32x4.extract_lane(lanes, 3), 18);
  }
  hash += length;
  for (; p + 4 <= end; p += 4) hash = rotl<u32>(hash + load<u32>(p) * P3, 17) * P4;
  for (; p < end; p++) hash = rotl<u32>(hash + <u32>load<u8>(p) * P5, 11) * P1;
  hash = (hash ^ (hash >>> 15)) * P2;
  hash = (hash ^ (hash >>> 13)) * P3;
  return hash ^ (hash >>> 16);
}
