import { assetOf } from '@sextant/library-ui';

/** The way through results by the keyboard, their preview, and what comes later. */
export const searchModule = assetOf('search.js', [new URL('assets/search.js', import.meta.url)]);
