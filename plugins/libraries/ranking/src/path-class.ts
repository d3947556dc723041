import { crc32 } from 'node:zlib';

/** The kind of a file, by its path. */
export type PathClass = 'source' | 'test' | 'documentation' | 'configuration' | 'example' | 'generated' | 'declaration';

const test =
  /(?:^|[/._-])(?:tests?|testing|unittests?|e2e)(?:[._-][^/]*)?\/|(?:^|\/)(?:t|test(?:dir|data|s?uites?|utils?|cases?|helpers?|lib|kit)|specs?|__tests__|__mocks__|fixtures|mocks?|utests?|(?:micro|jmh-)?bench(?:es|marks?)?|jmh|fuzz(?:ing|ers?)?)\//i;
const testName =
  /[._-](?:tests?|spec|bench|benchmark)\.[^/]*$|(?:^|\/)expected(?:[._-][^/]*)?\.(?:tags|txt|out|output|log|diff|json|xml|html|ya?ml)$|(?:^|\/)tests?[._-][^/]*\.[a-z0-9]+$|[A-Za-z0-9](?:Tests\/|Tests?\.[a-z]+$)|_test\.[a-z]+$/;
/** Not `deps` in Erlang and Elixir: tools put dependencies there, but they are not committed, so files there belong to the project. */
const generated =
  /(^|\/)(vendor|deps(?!.*\.(?:erl|hrl|exs?)$)|external|third_party|thirdparty|3rdparty|node_modules|bower_components|dist|generated|gen|autogen)\/|[._-](generated|gen|pb|min|bundle)\.[a-z.]+$|\.(snap|map|lock|sum|svg)$|(^|\/)(package-lock\.json|pnpm-lock\.yaml|yarn\.lock)$/i;
/** Texts in other languages than English. */
const translation =
  /\.(?:po|pot|xlf|xliff)$|\.(?!en)[a-z]{2}(?:-[A-Za-z]{2,4})?\.res[wx]$|(?:^|\/)(?:locales?|translations|i18n|l10n)\/(?:[\w-]+\.)?(?!en)[a-z]{2}(?:[_-][A-Za-z]{2,4})?(?:\/(?!.*\.[jt]sx?$)|\.(?:json|ya?ml|php|properties)$)|(?:^|\/)(?:(?:lang|i18n)\/\w+_(?!en\.)[a-z]{2}|translations\/\w+_(?!en\.)[a-z]{2,3})(?:[_@][A-Za-z]{2,5})?\.ts$|_(?!en)[a-z]{2}(?:_[A-Z]{2})?\.properties$|(?:^|\/)values-(?!en)[a-z]{2}(?:-r[A-Z]{2})?\/|(?:^|\/)(?!en\b|Base\b)[\w-]+\.lproj\//;
/** Not `.txt` files that configure a build or list dependencies. */
const documentation =
  /(^|\/)(docs?|documentation|man)\/|\.(md|mdx|rst|adoc|asciidoc|html?|info|texi|texinfo|ronn|pod|[1-8])$|(?<!(?:^|\/)(?:CMakeLists|constraints|(?:[\w.-]*[.-])?requirements[\w.-]*))\.txt$|(^|\/)(readme|changelog|changes|license|licence|copying|authors|contributing|news|notice)[^/]*$/i;
/** Declares what other files implement. */
const declaration = /\.d\.[cm]?ts$|\.pyi$/i;
const example = /(^|\/)(examples?|samples?|demos?|tutorials?)\//i;
const configuration =
  /\.(json|jsonc|ya?ml|toml|ini|cfg|conf|properties|xml|resx|resw|env|editorconfig|gitignore|gitattributes|csv|tsv)$|(^|\/)\.[^/]+$|(^|\/)(?:constraints|(?:[\w.-]*[.-])?requirements[\w.-]*)\.txt$|(?:^|\/)translations\/\w+_en\.ts$/i;

/** The first rule that matches counts: a generated test is generated, a test of an example is a test. */
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

/** The class of a path. */
export const pathClass = (path: string): PathClass => rules.find(([, rule]) => rule.test(path))?.[0] ?? 'source';

/** A checksum of the rules: stored classes with another one are out of date. */
export const pathRules: number = crc32(rules.join());

/** All classes. An index stores a class as its index in this list, so the order must not change. */
export const pathClasses: readonly PathClass[] = [
  'source',
  'test',
  'documentation',
  'configuration',
  'example',
  'generated',
  'declaration',
];
