import { bundledLanguagesInfo } from 'shiki/langs';

/** Extensions whose language has another name, and is not found by it. */
const extensions: Readonly<Record<string, string>> = {
  h: 'c',
  cc: 'cpp',
  cxx: 'cpp',
  hh: 'cpp',
  hpp: 'cpp',
  hxx: 'cpp',
  inl: 'cpp',
  m: 'objective-c',
  mm: 'objective-cpp',
  rake: 'ruby',
  gemspec: 'ruby',
  pyi: 'python',
  bzl: 'python',
  star: 'python',
  sbt: 'scala',
  sc: 'scala',
  gradle: 'groovy',
  ex: 'elixir',
  exs: 'elixir',
  hrl: 'erlang',
  ml: 'ocaml',
  mli: 'ocaml',
  fsx: 'fsharp',
  fsi: 'fsharp',
  cljs: 'clojure',
  cljc: 'clojure',
  pl: 'perl',
  pm: 'perl',
  t: 'perl',
  htm: 'html',
  xhtml: 'html',
  svg: 'xml',
  xsd: 'xml',
  pom: 'xml',
  csproj: 'xml',
  plist: 'xml',
  resx: 'xml',
  ipynb: 'json',
  map: 'json',
  lock: 'toml',
  cfg: 'ini',
  conf: 'ini',
  editorconfig: 'ini',
  gitconfig: 'ini',
  properties: 'ini',
  patch: 'diff',
  mk: 'make',
  mak: 'make',
  el: 'emacs-lisp',
  tfvars: 'terraform',
  s: 'asm',
  cu: 'cpp',
  cuh: 'cpp',
  ino: 'cpp',
  jenkinsfile: 'groovy',
  markdown: 'markdown',
  mkd: 'markdown',
  hbs: 'handlebars',
  pas: 'pascal',
  vert: 'glsl',
  frag: 'glsl',
};
const fileNames: Readonly<Record<string, string>> = {
  dockerfile: 'docker',
  containerfile: 'docker',
  makefile: 'make',
  gnumakefile: 'make',
  'cmakelists.txt': 'cmake',
  gemfile: 'ruby',
  rakefile: 'ruby',
  vagrantfile: 'ruby',
  podfile: 'ruby',
  jenkinsfile: 'groovy',
  build: 'python',
  'build.bazel': 'python',
  workspace: 'python',
  justfile: 'just',
  '.bashrc': 'shellscript',
  '.profile': 'shellscript',
  '.zshrc': 'shellscript',
  '.gitconfig': 'ini',
  '.gitmodules': 'ini',
  'go.mod': 'go',
  'cargo.lock': 'toml',
  'package-lock.json': 'json',
  codeowners: 'codeowners',
};

const known = new Map(
  bundledLanguagesInfo.flatMap(({ id, aliases = [] }) => [id, ...aliases].map((name) => [name, id])),
);

/** The name of the grammar for a file, or of a language as people write it in documents; undefined where there is none. */
export function languageOf(pathOrName: string): string | undefined {
  const name = pathOrName.slice(pathOrName.lastIndexOf('/') + 1).toLowerCase();
  const extension = name.slice(name.lastIndexOf('.') + 1);
  const whole = fileNames[name] ?? (name.startsWith('dockerfile.') ? 'docker' : undefined);
  return known.get(whole ?? extensions[extension] ?? extension);
}

const titles = new Map(bundledLanguagesInfo.map(({ id, name }) => [id, name]));

/** What people call a language. */
export const languageTitle = (language: string): string => titles.get(language) ?? language;
