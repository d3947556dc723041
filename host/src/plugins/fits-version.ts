import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SextantError } from '@sextant/core';
import { z } from 'zod';
import { serverInfo } from '../mcp/identity.ts';

const manifestShape = z.looseObject({
  name: z.string().optional(),
  version: z.string().optional(),
  engines: z.looseObject({ sextant: z.string().optional() }).optional(),
});

/**
 * Throws `conflict` where the package of a plugin's module says in `engines.sextant` that it is made for other versions
 * of Sextant, and `invalid_argument` where that is no range of versions. A module without a package fits.
 */
export async function requireFit(file: string, version: string = serverInfo.version): Promise<void> {
  const { path: manifest, text } = (await manifestAbove(file)) ?? {};
  if (text === undefined) return;
  const read = manifestShape.safeParse(JSON.parse(text));
  const range = read.data?.engines?.sextant;
  if (range === undefined) return;
  // Most servers have no plugin that needs it.
  const { satisfies, validRange } = await import('semver');
  if (validRange(range) === null)
    throw new SextantError(
      'invalid_argument',
      `${manifest}: engines.sextant is ${JSON.stringify(range)}; it must be a range of versions, such as ^${version}`,
    );
  if (satisfies(version, range, { includePrerelease: true })) return;
  const who = [read.data?.name ?? file, read.data?.version].filter(Boolean).join(' ');
  throw new SextantError(
    'conflict',
    `${who} is made for Sextant ${range}, and this is Sextant ${version}; install another release of one of them`,
  );
}

/** The manifest of the package that a module belongs to. */
async function manifestAbove(file: string): Promise<{ path: string; text: string } | undefined> {
  const folder = dirname(file);
  if (folder === file) return undefined;
  const path = join(folder, 'package.json');
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? manifestAbove(folder) : { path, text };
}
