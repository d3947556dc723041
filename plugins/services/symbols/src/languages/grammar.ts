import type { Language } from '@sextant/contracts';

const collection = new URL('./', import.meta.resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm'));

/** URL of a grammar of the collection that most languages come from, by the name of its language. */
export const grammarURL = (name: string): string => new URL(`tree-sitter-${name}.wasm`, collection).href;

/** A language of that collection whose names no other language uses. */
export const ofCollection = (name: string): Pick<Language, 'name' | 'family' | 'grammar'> => {
  return { name, family: name, grammar: grammarURL(name) };
};

/** A pattern for each of some types of nodes. */
export const each = (forms: string, pattern: (form: string) => string): string =>
  forms.split(' ').map(pattern).join('\n');

/** Patterns of definitions of one form: the types of nodes by the kind that they define. */
export const kinds = (place: 'definition' | 'member', form: string, nodes: Readonly<Record<string, string>>): string =>
  Object.entries(nodes)
    .map(([kind, types]) => each(types, (type) => `(${type} ${form}) @${place}.${kind}`))
    .join('\n');
