import { assetOf } from '@sextant/library-ui';

/** What the pages with code do in a browser, where scripts run. */
export const browseModule = assetOf('browse.js', [new URL('assets/browse.js', import.meta.url)]);
