import { buffer } from 'node:stream/consumers';
import type { StoredRepository } from '@sextant/contracts';

export interface OutlineRequest {
  /** Full hashes; those that do not exist are passed over. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly signal: AbortSignal;
  readonly isBackground?: boolean;
}

const backgroundSeconds = 300;

/** Commits that are reachable, as lines `time hash parents…`; of a shallow clone without the parents that are not there. */
export async function readOutline(repository: StoredRepository, request: OutlineRequest): Promise<string> {
  const { include, exclude, signal, isBackground = false } = request;
  const lines = [...include, ...exclude.map((hash) => `^${hash}`)].map((line) => `${line}\n`);
  const args = ['rev-list', '--timestamp', '--parents', '--ignore-missing', '--stdin'];
  const input = [Buffer.from(lines.join(''))];
  const time = isBackground ? { isBackground, seconds: backgroundSeconds } : {};
  return (await buffer(repository.stream({ args, input, signal, ...time }))).toString('latin1');
}
