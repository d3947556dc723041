/** A class of words that look alike: one letter in the page, one colour in the stylesheet. */
const scopesOf: Readonly<Record<string, readonly string[]>> = {
  c: ['comment', 'punctuation.definition.comment', 'string.quoted.docstring'],
  s: [
    'string',
    'punctuation.definition.string',
    'markup.inline.raw',
    'markup.fenced_code',
    'markup.inserted',
    'constant.other.symbol',
  ],
  k: [
    'keyword',
    'storage',
    'variable.language',
    'punctuation.definition.template-expression',
    'punctuation.definition.heading',
    'markup.heading',
    'markup.deleted',
    'entity.name.section',
    'meta.preprocessor',
    'punctuation.definition.directive',
  ],
  f: [
    'entity.name.function',
    'support.function',
    'meta.function-call.generic',
    'variable.function',
    'markup.underline.link',
  ],
  t: [
    'entity.name.type',
    'entity.name.class',
    'entity.name.namespace',
    'entity.other.inherited-class',
    'support.type',
    'support.class',
    'storage.type.java',
    'storage.type.primitive',
    'storage.type.generic',
    'entity.name.struct',
  ],
  n: ['constant.numeric', 'constant.language', 'constant.character', 'constant.other', 'support.constant'],
  v: [
    'entity.name.tag',
    'entity.other.attribute-name',
    'meta.object-literal.key',
    'support.type.property-name',
    'meta.property-name',
    'keyword.other.definition.ini',
    'entity.name.label',
    'variable.parameter.keyword',
  ],
};
/** What would otherwise look like what it stands in. */
const plain = [
  'keyword.operator.assignment',
  'keyword.operator.arithmetic',
  'keyword.operator.comparison',
  'keyword.operator.type.annotation',
  'keyword.operator.ternary',
  'keyword.operator.spread',
  'keyword.operator.accessor',
  'keyword.operator.bitwise',
  'keyword.operator.optional',
  'keyword.operator.relational',
  'keyword.operator.logical.ts',
  'keyword.operator.logical.js',
  'meta.template.expression',
  'meta.embedded',
  'meta.interpolation',
  'source.groovy.embedded',
  'punctuation.separator',
  'punctuation.terminator',
];
const classes = Object.keys(scopesOf);
/** Colours stand for classes: what reads the theme knows nothing else. */
const colorOf = (index: number): string => `#00000${index}`.toUpperCase();

export const theme = {
  name: 'classes',
  type: 'light' as const,
  colors: { 'editor.foreground': colorOf(0), 'editor.background': '#FFFFFF' },
  settings: [
    { settings: { foreground: colorOf(0) } },
    ...classes.map((name, index) => ({
      scope: [...(scopesOf[name] ?? [])],
      settings: { foreground: colorOf(index + 1) },
    })),
    { scope: plain, settings: { foreground: colorOf(0) } },
  ],
};

/** The class of a colour of the theme; undefined for text without one. */
export const classOf = (color: string | undefined): string | undefined => classes[Number(color?.at(-1)) - 1];
