import { pathClass } from '@sextant/library-search-results';
import type { PathClass } from '@sextant/library-search-results';

const code =
  /\.(?:bash|c|cc|clj|cpp|cs|css|cts|cxx|dart|erl|ex|exs|fs|go|graphql|groovy|h|hh|hpp|hs|hxx|inl|java|jl|js|jsx|kt|lua|m|mjs|cjs|ml|mm|mts|php|pl|pm|proto|py|pyi|pyx|r|rake|rb|rs|scala|scss|sh|sql|svelte|swift|tcl|ts|tsx|vue|zig)$/i;
const testFolder = /(?:^|\/)(?:[^/]*[._-])?tests?\//i;

/** The class of a path, with less taken for source than in a search: project files are configuration, `Shop.Tests/` holds tests. */
export function fileKind(path: string): PathClass {
  const kind = pathClass(path);
  if (kind !== 'source') return kind;
  if (testFolder.test(path)) return 'test';
  return code.test(path) ? 'source' : 'configuration';
}
