/** Names of languages, with the endings and names of their files. */
const languages: Readonly<Record<string, { aliases?: readonly string[]; extensions?: string; names?: string }>> = {
  bash: { aliases: ['shell', 'sh', 'zsh'], extensions: 'sh|bash|zsh|ksh|bats', names: '\\.bashrc|\\.zshrc|\\.profile' },
  c: { extensions: 'c|h' },
  'c++': { aliases: ['cpp', 'cxx'], extensions: 'cc|cpp|cxx|c\\+\\+|h|hh|hpp|hxx|ipp|inl|tpp' },
  'c#': { aliases: ['csharp', 'cs'], extensions: 'cs|csx' },
  clojure: { extensions: 'clj|cljs|cljc|edn' },
  cmake: { extensions: 'cmake', names: 'CMakeLists\\.txt' },
  css: { extensions: 'css|scss|sass|less' },
  dart: { extensions: 'dart' },
  dockerfile: { aliases: ['docker'], extensions: 'dockerfile', names: 'Dockerfile[^/]*|Containerfile' },
  elixir: { extensions: 'ex|exs' },
  erlang: { extensions: 'erl|hrl' },
  go: { aliases: ['golang'], extensions: 'go', names: 'go\\.mod|go\\.sum' },
  graphql: { extensions: 'graphql|gql' },
  groovy: { extensions: 'groovy|gradle', names: 'Jenkinsfile' },
  haskell: { aliases: ['hs'], extensions: 'hs|lhs' },
  html: { extensions: 'html?|xhtml|vue|svelte' },
  java: { extensions: 'java' },
  javascript: { aliases: ['js'], extensions: 'js|jsx|mjs|cjs' },
  json: { extensions: 'json|jsonc|json5' },
  julia: { extensions: 'jl' },
  kotlin: { aliases: ['kt'], extensions: 'kt|kts' },
  lua: { extensions: 'lua' },
  makefile: { aliases: ['make'], extensions: 'mk|mak', names: '(GNU)?[Mm]akefile[^/]*' },
  markdown: { aliases: ['md'], extensions: 'md|mdx|markdown' },
  nix: { extensions: 'nix' },
  'objective-c': { aliases: ['objc'], extensions: 'm|mm|h' },
  ocaml: { extensions: 'ml|mli' },
  perl: { aliases: ['pl'], extensions: 'pl|pm|t' },
  php: { extensions: 'php|phtml' },
  powershell: { aliases: ['ps1'], extensions: 'ps1|psm1|psd1' },
  proto: { aliases: ['protobuf', 'protocol buffers'], extensions: 'proto' },
  python: { aliases: ['py'], extensions: 'py|pyi|pyx', names: 'SConstruct|BUILD\\.bazel' },
  r: { extensions: 'r|rmd' },
  ruby: { aliases: ['rb'], extensions: 'rb|rake|gemspec|erb', names: 'Gemfile|Rakefile' },
  rust: { aliases: ['rs'], extensions: 'rs' },
  scala: { extensions: 'scala|sc|sbt' },
  sql: { extensions: 'sql' },
  starlark: { aliases: ['bazel'], extensions: 'bzl|bazel|star', names: 'BUILD|WORKSPACE' },
  swift: { extensions: 'swift' },
  terraform: { aliases: ['hcl', 'tf'], extensions: 'tf|tfvars|hcl' },
  text: { aliases: ['txt', 'plain'], extensions: 'txt|text' },
  toml: { extensions: 'toml' },
  tsx: { extensions: 'tsx' },
  typescript: { aliases: ['ts'], extensions: 'ts|tsx|mts|cts' },
  xml: { extensions: 'xml|xsd|xsl|xslt' },
  yaml: { aliases: ['yml'], extensions: 'ya?ml' },
  zig: { extensions: 'zig' },
};

const byName = new Map(
  Object.entries(languages).flatMap(([name, { aliases = [] }]) => [name, ...aliases].map((alias) => [alias, name])),
);

/** Every name that `lang:` knows. */
export const languageNames: readonly string[] = [...byName.keys()];

/** A regular expression (RE2 syntax, any case) for the paths of a language's files; undefined for an unknown one. */
export function languagePattern(name: string): string | undefined {
  const language = languages[byName.get(name.toLowerCase()) ?? ''];
  if (!language) return undefined;
  const parts = [
    ...(language.extensions === undefined ? [] : [`\\.(${language.extensions})$`]),
    ...(language.names === undefined ? [] : [`(^|/)(${language.names})$`]),
  ];
  return parts.join('|');
}
