import type { StoredRepository } from '@sextant/contracts';

/** All that a git command prints. */
export async function outputOf(
  repository: StoredRepository,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of repository.stream({ args, signal })) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}
