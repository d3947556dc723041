import { assetOf, suggestionsScript } from '@sextant/library-ui';

/** Suggestions, and the way through results by the keyboard. */
export const searchModule = assetOf('search.js', [suggestionsScript, new URL('assets/search.js', import.meta.url)]);
