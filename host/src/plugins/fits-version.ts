import { SextantError } from '@sextant/core';
import { serverInfo } from '../mcp/identity.ts';
import { packageOf } from './package-of.ts';
import type { Package } from './package-of.ts';

/**
 * The package of a plugin's module; undefined for a module without one, which fits. Throws `conflict` where it says in
 * `engines.sextant` that it is made for other versions of Sextant, and `invalid_argument` where that is no range of
 * versions.
 */
export async function fittingPackage(file: string, version: string = serverInfo.version): Promise<Package | undefined> {
  const read = await packageOf(file);
  const range = read?.engines?.sextant;
  if (read === undefined || range === undefined) return read;
  // Most servers have no plugin that needs it.
  const { satisfies, validRange } = await import('semver');
  if (validRange(range) === null)
    throw new SextantError(
      'invalid_argument',
      `${read.manifest}: engines.sextant is ${JSON.stringify(range)}; it must be a range of versions, such as ^${version}`,
    );
  if (satisfies(version, range, { includePrerelease: true })) return read;
  const who = [read.name ?? file, read.version].filter(Boolean).join(' ');
  throw new SextantError(
    'conflict',
    `${who} is made for Sextant ${range}, and this is Sextant ${version}; install another release of one of them`,
  );
}
