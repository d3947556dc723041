import { SextantError, didYouMean } from '@sextant/core';

interface LanguageFiles {
  /** Other names, in lower case. */
  readonly aliases?: readonly string[];
  /** Without the dot, one space between two. */
  readonly extensions?: string;
  /** Whole names of files: a regular expression (RE2 syntax). */
  readonly names?: string;
}

/**
 * The one table of languages and their files: for `lang:`, reports of use, and colours. Several languages may claim an extension: the first of them
 * is the language of a file. What code navigation parses is narrower, and stands with its grammars.
 */
const languages: Readonly<Record<string, LanguageFiles>> = {
  TypeScript: { aliases: ['ts'], extensions: 'ts tsx mts cts' },
  HTML: { extensions: 'htm html xhtml vue svelte' },
  C: { extensions: 'c h' },
  'Objective-C++': { aliases: ['objcpp'], extensions: 'mm' },
  'Objective-C': { aliases: ['objc'], extensions: 'm mm h' },
  Groovy: { extensions: 'groovy gradle', names: 'Jenkinsfile' },
  Go: { aliases: ['golang'], extensions: 'go' },
  Ada: { extensions: 'ada adb ads' },
  Apex: { extensions: 'cls trigger' },
  AsciiDoc: { aliases: ['adoc'], extensions: 'adoc asciidoc' },
  Assembly: { aliases: ['asm', 'nasm'], extensions: 'asm s nasm' },
  Astro: { extensions: 'astro' },
  Awk: { extensions: 'awk' },
  Bash: { aliases: ['shell', 'sh', 'zsh'], extensions: 'sh bash zsh ksh bats', names: '\\.bashrc|\\.zshrc|\\.profile' },
  Batchfile: { aliases: ['batch', 'bat'], extensions: 'bat cmd' },
  Bicep: { extensions: 'bicep' },
  'C#': { aliases: ['csharp', 'cs'], extensions: 'cs csx' },
  'C++': { aliases: ['cpp', 'cxx'], extensions: 'cc cpp cxx c++ h hh hpp hxx ipp inl tpp' },
  Clojure: { extensions: 'clj cljs cljc edn' },
  CMake: { extensions: 'cmake', names: 'CMakeLists\\.txt' },
  COBOL: { extensions: 'cob cbl cpy' },
  CoffeeScript: { aliases: ['coffee'], extensions: 'coffee' },
  'Common Lisp': { aliases: ['lisp'], extensions: 'lisp lsp cl' },
  Crystal: { extensions: 'cr' },
  CSS: { extensions: 'css scss sass less' },
  CSV: { extensions: 'csv tsv' },
  CUDA: { extensions: 'cu cuh' },
  CUE: { extensions: 'cue' },
  D: { aliases: ['dlang'], extensions: 'd di' },
  Dart: { extensions: 'dart' },
  Diff: { aliases: ['patch'], extensions: 'diff patch' },
  Dockerfile: { aliases: ['docker'], extensions: 'dockerfile', names: 'Dockerfile[^/]*|Containerfile' },
  Elixir: { extensions: 'ex exs' },
  Elm: { extensions: 'elm' },
  'Emacs Lisp': { aliases: ['elisp'], extensions: 'el' },
  Erlang: { extensions: 'erl hrl' },
  'F#': { aliases: ['fsharp', 'fs'], extensions: 'fs fsi fsx' },
  Fish: { extensions: 'fish' },
  Fortran: { extensions: 'f f77 f90 f95 f03 f08 for' },
  GDScript: { extensions: 'gd' },
  Gleam: { extensions: 'gleam' },
  GLSL: { extensions: 'glsl vert frag geom comp' },
  'Go Checksums': { aliases: ['gosum', 'go.sum'], names: 'go\\.(work\\.)?sum' },
  'Go Module': { aliases: ['gomod', 'go.mod'], names: 'go\\.mod|go\\.work' },
  Gradle: { extensions: 'gradle', names: '[^/]*\\.gradle\\.kts' },
  GraphQL: { extensions: 'graphql gql' },
  Handlebars: { aliases: ['hbs', 'mustache'], extensions: 'hbs handlebars mustache' },
  Haskell: { aliases: ['hs'], extensions: 'hs lhs' },
  HLSL: { extensions: 'hlsl fx' },
  INI: { extensions: 'ini cfg conf properties', names: '\\.editorconfig|\\.gitconfig' },
  Java: { extensions: 'java' },
  JavaScript: { aliases: ['js'], extensions: 'js jsx mjs cjs' },
  Jinja: { aliases: ['jinja2'], extensions: 'j2 jinja jinja2' },
  JSON: { extensions: 'json jsonc json5' },
  Jsonnet: { extensions: 'jsonnet libsonnet' },
  JSX: { extensions: 'jsx' },
  Julia: { extensions: 'jl' },
  Jupyter: { aliases: ['notebook', 'ipynb'], extensions: 'ipynb' },
  Kotlin: { aliases: ['kt'], extensions: 'kt kts' },
  Less: { extensions: 'less' },
  Liquid: { extensions: 'liquid' },
  LLVM: { extensions: 'll' },
  Lua: { extensions: 'lua' },
  Makefile: { aliases: ['make'], extensions: 'mk mak', names: '(GNU)?[Mm]akefile[^/]*' },
  Markdown: { aliases: ['md'], extensions: 'md mdx markdown' },
  MATLAB: { extensions: 'm' },
  Meson: { names: 'meson\\.build|meson_options\\.txt|meson\\.options' },
  Nim: { extensions: 'nim nims nimble' },
  Nix: { extensions: 'nix' },
  OCaml: { extensions: 'ml mli' },
  Odin: { extensions: 'odin' },
  Pascal: { aliases: ['delphi'], extensions: 'pas pp dpr lpr' },
  Perl: { aliases: ['pl'], extensions: 'pl pm t' },
  PHP: { extensions: 'php phtml' },
  PowerShell: { aliases: ['ps1'], extensions: 'ps1 psm1 psd1' },
  Prolog: { extensions: 'pl pro prolog' },
  'Protocol Buffers': { aliases: ['proto', 'protobuf'], extensions: 'proto' },
  Pug: { extensions: 'pug jade' },
  Puppet: { extensions: 'pp' },
  PureScript: { extensions: 'purs' },
  Python: { aliases: ['py'], extensions: 'py pyi pyx', names: 'SConstruct|BUILD\\.bazel' },
  QML: { extensions: 'qml' },
  R: { extensions: 'r rmd' },
  Racket: { extensions: 'rkt rktl' },
  Raku: { extensions: 'raku rakumod rakutest' },
  Reason: { aliases: ['reasonml'], extensions: 're rei' },
  Rego: { aliases: ['opa'], extensions: 'rego' },
  ReScript: { extensions: 'res resi' },
  reStructuredText: { aliases: ['rst'], extensions: 'rst' },
  Ruby: { aliases: ['rb'], extensions: 'rb rake gemspec erb', names: 'Gemfile|Rakefile' },
  Rust: { aliases: ['rs'], extensions: 'rs' },
  Sass: { extensions: 'sass' },
  Scala: { extensions: 'scala sc sbt' },
  Scheme: { extensions: 'scm ss sld' },
  SCSS: { extensions: 'scss' },
  Solidity: { aliases: ['sol'], extensions: 'sol' },
  SQL: { extensions: 'sql' },
  Starlark: { aliases: ['bazel'], extensions: 'bzl bazel star', names: 'BUILD|WORKSPACE' },
  Svelte: { extensions: 'svelte' },
  SVG: { extensions: 'svg' },
  Swift: { extensions: 'swift' },
  SystemVerilog: { aliases: ['sv'], extensions: 'sv svh' },
  Tcl: { extensions: 'tcl tk' },
  Terraform: { aliases: ['hcl', 'tf'], extensions: 'tf tfvars hcl' },
  TeX: { aliases: ['latex'], extensions: 'tex sty cls bib' },
  Text: { aliases: ['txt', 'plain'], extensions: 'txt text' },
  Thrift: { extensions: 'thrift' },
  TOML: { extensions: 'toml' },
  TSX: { extensions: 'tsx' },
  Twig: { extensions: 'twig' },
  Verilog: { extensions: 'v vh' },
  VHDL: { extensions: 'vhd vhdl' },
  Vim: { aliases: ['vimscript', 'vim script', 'viml'], extensions: 'vim', names: '[._]?g?vimrc' },
  'Visual Basic': { aliases: ['vb', 'vb.net', 'vba'], extensions: 'vb bas vba' },
  Vue: { extensions: 'vue' },
  WebAssembly: { aliases: ['wat', 'wasm'], extensions: 'wat wast' },
  WGSL: { extensions: 'wgsl' },
  XML: { extensions: 'xml xsd xsl xslt' },
  YAML: { aliases: ['yml'], extensions: 'yaml yml' },
  Zig: { extensions: 'zig' },
};

const byName = new Map(
  Object.entries(languages).flatMap(([name, { aliases = [] }]) =>
    [name.toLowerCase(), ...aliases].map((alias) => [alias, name]),
  ),
);
const byExtension = new Map(
  Object.entries(languages)
    .toReversed()
    .flatMap(([name, { extensions }]) => extensions?.split(' ').map((extension) => [extension, name] as const) ?? []),
);
const byFileName = Object.entries(languages).flatMap(([name, { names }]) =>
  names === undefined ? [] : [{ name, pattern: new RegExp(`^(${names})$`, 'i') }],
);

/** Every name that `lang:` knows, in lower case. */
export const languageNames: readonly string[] = [...byName.keys()];

/** A regular expression (RE2 syntax, any case) for the paths of a language's files. Undefined for an unknown language. */
export function languagePattern(name: string): string | undefined {
  const { extensions, names } = languages[byName.get(name.toLowerCase()) ?? ''] ?? {};
  const parts = [
    ...(extensions === undefined ? [] : [`\\.(${extensions.replaceAll('+', '\\+').replaceAll(' ', '|')})$`]),
    ...(names === undefined ? [] : [`(^|/)(${names})$`]),
  ];
  return parts.length > 0 ? parts.join('|') : undefined;
}

/** The same for `lang:`. Throws `invalid_argument` for an unknown language. */
export function requireLanguagePattern(name: string): string {
  const pattern = languagePattern(name);
  if (pattern !== undefined) return pattern;
  throw new SextantError(
    'invalid_argument',
    `lang:${name} is no language that is known here.${didYouMean(name, languageNames)} Use file: with a pattern such as file:\\.${name}$ instead.`,
  );
}

/** The name of the language of a file, as people write it. Undefined for an unknown one. */
export function languageOfFile(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return byFileName.find(({ pattern }) => pattern.test(name))?.name ?? byExtension.get(extension);
}

/** The name of a language in lower case, and its aliases. */
export const namesOfLanguage = (name: string): readonly string[] => [
  name.toLowerCase(),
  ...(languages[name]?.aliases ?? []),
];
