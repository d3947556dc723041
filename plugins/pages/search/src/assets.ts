import { assetOf } from '@sextant/library-ui';

/** Lets the keyboard go through results. */
export const searchModule = assetOf('search.js', [new URL('assets/search.js', import.meta.url)]);
