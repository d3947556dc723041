import { posix } from 'node:path';
import { Languages } from '@sextant/contracts';
import type { Language } from '@sextant/contracts';
import { contribute, definePlugin } from '@sextant/core';
import { describe, expect, it } from 'vitest';
import { startSymbols } from '../testing/start-symbols.ts';
import { grammarURL } from './grammar.ts';

const css: Language = {
  name: 'css',
  family: 'css',
  extensions: ['.css'],
  grammar: grammarURL('css'),
  query: `
(class_selector (class_name) @name) @definition.class
(keyframes_statement (keyframes_name) @name) @definition.keyframes
(declaration (plain_value) @use)
(import_statement (string_value (string_content) @import.source)) @import.all
`,
  resolveImport: async ({ path, module }, tree) =>
    [posix.join(posix.dirname(path), module)].filter((file) => tree.has(file)),
};
const languagePlugin = (language: Language): ReturnType<typeof definePlugin> =>
  definePlugin({ name: 'language-css', contributions: [contribute(Languages, language)] });

const files = {
  'base.css': '@keyframes fade { }\n',
  'decoy.css': '@keyframes fade { }\n',
  'a.css': '@import "base.css";\n.card { animation-name: fade; }\n',
};

describe('a language of another plugin', () => {
  it('is parsed and its imports are followed as those of the built-in ones are', async () => {
    await using served = await startSymbols({ shop: files }, { plugins: [languagePlugin(css)] });
    expect(await served.definition('shop a.css', 'fade')).toEqual(['base.css:1']);
    expect(await served.references('shop base.css', 'fade')).toEqual(['a.css:2']);
  });

  it('without it files are answered from their text', async () => {
    await using served = await startSymbols({ shop: files });
    expect(await served.definition('shop a.css', 'card')).toEqual(['a.css:1 text']);
  });

  it('whose query does not fit its grammar stops the start and is named', async () => {
    const broken = languagePlugin({ ...css, query: '(no_such_node) @use' });
    await expect(startSymbols({ shop: files }, { plugins: [broken] })).rejects.toThrow(
      'plugin service-symbols failed to start: contribution of language-css: the language "css" cannot be used: Bad node name \'no_such_node\'',
    );
  });

  it('that claims the files of a built-in one stops the start', async () => {
    const greedy = languagePlugin({ ...css, extensions: ['.go'] });
    await expect(startSymbols({ shop: files }, { plugins: [greedy] })).rejects.toThrow('both claim ".go"');
  });
});
