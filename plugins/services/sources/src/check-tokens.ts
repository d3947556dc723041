import { operatorReason } from '@sextant/core';
import type { ConfigMistake } from '@sextant/core';
import type { ConfiguredSource } from './config.ts';

const checkMs = 15_000;

/** Asks each host once what its token is good for. */
export async function checkTokens(sources: readonly ConfiguredSource[]): Promise<ConfigMistake[]> {
  const found = await Promise.all(
    sources.map(async ({ source, settings }, index) =>
      (await problemsOf(source, settings)).map((text) => ({ path: ['sources', index, 'token'], text })),
    ),
  );
  return found.flat();
}

async function problemsOf(
  source: ConfiguredSource['source'],
  settings: ConfiguredSource['settings'],
): Promise<readonly string[]> {
  try {
    const { problems } = await source.check(AbortSignal.timeout(checkMs));
    // What it cannot tell of others matters only where it is asked for that.
    return settings.permissions === 'sync' ? problems : [];
  } catch (error) {
    return [operatorReason(error)];
  }
}
