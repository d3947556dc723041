import { assetOf, suggestionsScript } from '@sextant/library-ui';

/** The script of pages of a repository. */
export const browseModule = assetOf('browse.js', [
  suggestionsScript,
  ...['code', 'find', 'symbols', 'changes', 'files'].map((name) => new URL(`assets/${name}.js`, import.meta.url)),
]);
