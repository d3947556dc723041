const grammars = new URL('./', import.meta.resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm'));

/** URL of a grammar that comes with this package. */
export const grammarURL = (name: string): string => new URL(`tree-sitter-${name}.wasm`, grammars).href;
