import { assetOf } from '@sextant/library-ui';

/** The script of pages with code. */
export const browseModule = assetOf('browse.js', [new URL('assets/browse.js', import.meta.url)]);
