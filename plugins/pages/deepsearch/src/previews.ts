import type { CodeColours, Conversation, Repositories, ResearchSource } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import type { Call } from '@sextant/core';
import { plainLine } from '@sextant/library-ui';

/** Markup of the lines of sources. */
export type Previews = ReadonlyMap<ResearchSource, readonly string[]>;

const mostSources = 30;
const mostLines = 30;
/** Milliseconds that a page waits for the colours of code. */
export const coloursWaitMs = 200;

interface Services {
  readonly repositories: Repositories | undefined;
  readonly colours: CodeColours | undefined;
}

/** The first lines of each source of a conversation. A source that cannot be read has none. */
export async function previewsOf({ turns }: Conversation, services: Services, call: Call): Promise<Previews> {
  const sources = turns.flatMap((turn) => turn.sources).slice(0, mostSources);
  return new Map(
    await Promise.all(sources.map(async (source) => [source, await linesOf(source, services, call)] as const)),
  );
}

async function linesOf(
  { repo, path, commit, startLine, endLine }: ResearchSource,
  { repositories, colours }: Services,
  { caller, signal }: Call,
): Promise<readonly string[]> {
  try {
    const repository = await repositories?.open(caller, repo);
    const file = await repository?.readText(commit, path, signal);
    if (!file) return [];
    const last = Math.min(endLine, startLine - 1 + mostLines);
    const lines = file.text.split(/\r\n|\n|\r/).slice(startLine - 1, last);
    const whole = { startLine, read: async () => file };
    return (await colours?.colour({ path, lines, whole }, coloursWaitMs))?.markup ?? lines.map(plainLine);
  } catch (error) {
    if (isSextantError(error)) return [];
    throw error;
  }
}
