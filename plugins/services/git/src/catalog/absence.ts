import { SextantError } from '@sextant/core';
import type { CatalogEntry } from './catalog.ts';
import { refusal } from '../storage/served-storage.ts';

/** Why a repository cannot be read, for callers who may know of it. What leads where on the server is for administrators. */
export function absence(entry: CatalogEntry | undefined): SextantError {
  if (!entry) return new SextantError('unavailable', 'the repository is no longer served');
  const folder = entry.folder();
  if (folder) return refusal(folder.failure?.reason ?? 'its files have changed');
  const { state = 'cloning', failedSince } = entry.clone() ?? {};
  if (state === 'failed')
    return new SextantError(
      'unavailable',
      `the repository could not be cloned yet${failedSince === undefined ? '' : ` (it fails since ${failedSince})`} and is tried again; administrators find the reason on /site-admin/repositories`,
    );
  return new SextantError('unavailable', 'the repository is still being cloned; try again in a moment', {
    retryAfterSeconds: 10,
  });
}
