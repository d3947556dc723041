const extensions: Readonly<Record<string, string>> = {
  Bash: 'sh bash zsh ksh',
  C: 'c h',
  'C#': 'cs csx',
  'C++': 'cc cpp cxx hh hpp hxx ipp inl',
  CSS: 'css scss sass less',
  Clojure: 'clj cljs cljc edn',
  Dart: 'dart',
  Dockerfile: 'dockerfile',
  Elixir: 'ex exs',
  Erlang: 'erl hrl',
  Go: 'go mod',
  GraphQL: 'graphql gql',
  Groovy: 'groovy gradle',
  HTML: 'html htm vue svelte',
  Haskell: 'hs lhs',
  JSON: 'json jsonc json5',
  Java: 'java',
  JavaScript: 'js jsx mjs cjs',
  Julia: 'jl',
  Kotlin: 'kt kts',
  Lua: 'lua',
  Makefile: 'makefile mk',
  Markdown: 'md mdx markdown',
  Nix: 'nix',
  OCaml: 'ml mli',
  'Objective-C': 'm mm',
  PHP: 'php',
  Perl: 'pl pm',
  PowerShell: 'ps1 psm1',
  'Protocol Buffers': 'proto',
  Python: 'py pyi pyx',
  R: 'r rmd',
  Ruby: 'rb rake gemspec',
  Rust: 'rs',
  SQL: 'sql',
  Scala: 'scala sc sbt',
  Starlark: 'bzl bazel star',
  Swift: 'swift',
  TOML: 'toml',
  Terraform: 'tf tfvars hcl',
  TypeScript: 'ts tsx mts cts',
  XML: 'xml xsd xsl',
  YAML: 'yaml yml',
  Zig: 'zig',
};

const languages: ReadonlyMap<string, string> = new Map(
  Object.entries(extensions).flatMap(([language, endings]) => endings.split(' ').map((ending) => [ending, language])),
);

/** The language of most of these files; of the first where several have as many; `Other` for unknown ones, empty for none. */
export function mainLanguage(files: readonly string[]): string {
  const [first] = files;
  // Most calls are about one file, and all of this runs beside calls.
  if (first !== undefined && files.length === 1) return languageOf(first);
  const counts = new Map<string, number>();
  for (const file of files) {
    const language = languageOf(file);
    if (language !== '') counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  let main = '';
  for (const [language, count] of counts) if (count > (counts.get(main) ?? 0)) main = language;
  return main;
}

function languageOf(file: string): string {
  if (file === '') return '';
  const begin = Math.max(file.lastIndexOf('/'), file.lastIndexOf('.')) + 1;
  return languages.get(file.slice(begin).toLowerCase()) ?? 'Other';
}
