import fc from 'fast-check';

/** The same regular expression in RE2 syntax and in JavaScript's. */
export interface Expression {
  readonly re2: string;
  readonly js: string;
  /** Whether it matches nothing at all somewhere: then the two engines repeat it differently. */
  readonly isNullable: boolean;
}

const same = (text: string, isNullable = false): Expression => ({ re2: text, js: text, isNullable });

const ATOMS: readonly Expression[] = [
  ...[
    'a',
    'b',
    'F',
    'o',
    'foo',
    'bar',
    'x',
    '_',
    ' ',
    'é',
    'ï',
    'Ï',
    '€',
    '😀',
    '日',
    '\\t',
    '\\{',
    '\\.',
    '[ab]',
    '[a-f]',
    '[^a]',
    '[^o_é]',
    '[é-ï]',
    '[→-日]',
    '\\d',
    '\\w',
  ].map((text) => same(text)),
  { re2: '.', js: '[^\\n]', isNullable: false },
  { re2: '\\s', js: '[\\t\\n\\f\\r ]', isNullable: false },
  { re2: '\\S', js: '[^\\t\\n\\f\\r ]', isNullable: false },
  // In any case JavaScript's lacks ſ and the Kelvin sign, which are s and k there.
  { re2: '\\W', js: '(?-i:[^0-9A-Za-z_])', isNullable: false },
  { re2: '[[:alpha:]_]', js: '[A-Za-z_]', isNullable: false },
  { re2: '\\x{20ac}', js: '€', isNullable: false },
  { re2: '\\pL', js: '\\p{L}', isNullable: false },
  // Alone and in any case, JavaScript's takes what has another case.
  { re2: '\\P{Lu}', js: '[^\\p{Lu}]', isNullable: false },
  { re2: '\\Q.*\\E', js: '\\.\\*', isNullable: false },
];
const BORDERS = ['^', '$', '\\b', '\\B'].map((text) => same(text, true));
const REPETITIONS = ['*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?', '+?', '??', '{1,2}?'];

const join = (parts: readonly Expression[], separator: string): Expression => ({
  re2: `(?:${parts.map(({ re2 }) => re2).join(separator)})`,
  js: `(?:${parts.map(({ js }) => js).join(separator)})`,
  isNullable:
    separator === '' ? parts.every(({ isNullable }) => isNullable) : parts.some(({ isNullable }) => isNullable),
});

function repeat(body: Expression, repetition: string): Expression {
  if (body.isNullable) return body;
  return {
    re2: `(?:${body.re2})${repetition}`,
    js: `(?:${body.js})${repetition}`,
    isNullable: /^[*?]|^\{0/.test(repetition),
  };
}

/** Random expressions in which only what is never empty is repeated. */
export const expression: fc.Arbitrary<Expression> = fc.letrec<{ node: Expression }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(...ATOMS),
    fc.constantFrom(...BORDERS),
    fc.array(tie('node'), { minLength: 1, maxLength: 4 }).map((parts) => join(parts, '')),
    fc.array(tie('node'), { minLength: 2, maxLength: 3 }).map((parts) => join(parts, '|')),
    fc.tuple(tie('node'), fc.constantFrom(...REPETITIONS)).map(([body, repetition]) => repeat(body, repetition)),
  ),
})).node;
