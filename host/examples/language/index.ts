import { Languages } from '@sextant/contracts';
import { contribute, definePlugin } from '@sextant/core';

export default definePlugin({
  name: 'language-ini-files',
  contributions: [
    contribute(Languages, {
      name: 'ini',
      family: 'ini',
      extensions: ['.ini'],
      // A tree-sitter grammar as WebAssembly, of a package. One of your own lies outside `src`, which the build does not
      // copy, and stands in `files` of package.json: new URL('../grammar.wasm', import.meta.url).href
      grammar: import.meta.resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-ini.wasm'),
      // Which nodes define and use names; docs/languages.md explains the captures.
      query: `
        (section (section_name (text) @name)) @definition.namespace
        (setting (setting_name) @name) @definition.constant
      `,
      // Names of a file are known in all files of the repository.
      visibility: 'everywhere',
    }),
  ],
});
