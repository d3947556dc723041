import { crc32 } from 'node:zlib';

/** What kind of file a path is: most searches are for source. */
export type PathClass = 'source' | 'test' | 'documentation' | 'configuration' | 'example' | 'generated' | 'declaration';

const test =
  /(?:^|[/._-])(?:tests?|testing|unittests?|e2e)(?:[._-][^/]*)?\/|(?:^|\/)(?:t|test(?:dir|data|s?uites?|utils?|cases?|helpers?|lib|kit)|specs?|__tests__|__mocks__|fixtures|mocks?|utests?|(?:micro|jmh-)?bench(?:es|marks?)?|jmh|fuzz(?:ing|ers?)?)\//i;
const testName =
  /[._-](?:tests?|spec|bench|benchmark)\.[^/]*$|(?:^|\/)expected(?:[._-][^/]*)?\.(?:tags|txt|out|output|log|diff|json|xml|html|ya?ml)$|(?:^|\/)tests?[._-][^/]*\.[a-z0-9]+$|[A-Za-z0-9](?:Tests\/|Tests?\.[a-z]+$)|_test\.[a-z]+$/;
/** In Erlang and Elixir `deps` is where tools put dependencies, and mostly not committed: what is, is the project's own. */
const generated =
  /(^|\/)(vendor|deps(?!.*\.(?:erl|hrl|exs?)$)|external|third_party|thirdparty|3rdparty|node_modules|bower_components|dist|generated|gen|autogen)\/|[._-](generated|gen|pb|min|bundle)\.[a-z.]+$|\.(snap|map|lock|sum|svg)$|(^|\/)(package-lock\.json|pnpm-lock\.yaml|yarn\.lock)$/i;
/** The same texts again in another language than English, of which a project may have dozens. */
const translation =
  /\.(?:po|pot|xlf|xliff)$|\.(?!en)[a-z]{2}(?:-[A-Za-z]{2,4})?\.res[wx]$|(?:^|\/)(?:locales?|translations|i18n|l10n)\/(?:[\w-]+\.)?(?!en)[a-z]{2}(?:[_-][A-Za-z]{2,4})?(?:\/(?!.*\.[jt]sx?$)|\.(?:json|ya?ml|php|properties)$)|(?:^|\/)(?:(?:lang|i18n)\/\w+_(?!en\.)[a-z]{2}|translations\/\w+_(?!en\.)[a-z]{2,3})(?:[_@][A-Za-z]{2,5})?\.ts$|_(?!en)[a-z]{2}(?:_[A-Z]{2})?\.properties$|(?:^|\/)values-(?!en)[a-z]{2}(?:-r[A-Z]{2})?\/|(?:^|\/)(?!en\b|Base\b)[\w-]+\.lproj\//;
/** What builds and what is installed is no text to be read, whatever its ending. */
const documentation =
  /(^|\/)(docs?|documentation|man)\/|\.(md|mdx|rst|adoc|asciidoc|html?|info|texi|texinfo|ronn|pod|[1-8])$|(?<!(?:^|\/)(?:CMakeLists|constraints|(?:[\w.-]*[.-])?requirements[\w.-]*))\.txt$|(^|\/)(readme|changelog|changes|license|licence|copying|authors|contributing|news|notice)[^/]*$/i;
/** Says what other files do. */
const declaration = /\.d\.[cm]?ts$|\.pyi$/i;
const example = /(^|\/)(examples?|samples?|demos?|tutorials?)\//i;
const configuration =
  /\.(json|jsonc|ya?ml|toml|ini|cfg|conf|properties|xml|resx|resw|env|editorconfig|gitignore|gitattributes|csv|tsv)$|(^|\/)\.[^/]+$|(^|\/)(?:constraints|(?:[\w.-]*[.-])?requirements[\w.-]*)\.txt$|(?:^|\/)translations\/\w+_en\.ts$/i;

/** The first that fits: a generated test is generated, a test of an example is a test. */
const rules: readonly (readonly [PathClass, RegExp])[] = [
  ['generated', generated],
  ['generated', translation],
  ['test', testName],
  ['test', test],
  ['declaration', declaration],
  ['example', example],
  ['documentation', documentation],
  ['configuration', configuration],
];

export const pathClass = (path: string): PathClass => rules.find(([, rule]) => rule.test(path))?.[0] ?? 'source';

/** Changes with what `pathClass` says: classes that were kept under another one are to be told again. */
export const pathRules: number = crc32(rules.join());

/** All of them; elsewhere a class may be told by its number. */
export const pathClasses: readonly PathClass[] = [
  'source',
  'test',
  'documentation',
  'configuration',
  'example',
  'generated',
  'declaration',
];
