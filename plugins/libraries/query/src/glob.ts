/** What no glob of paths has and an expression is likely to have. */
const expressionOnly = /[\\[()^$|+]/;
/** Repeats nothing: no regular expression. */
const repeatsNothing = /^\*|(^|\/)\*\*/;
/** Is an expression, which means something else than the glob does: `src/*.ts` is `src`, slashes, one character, `ts`. */
const looksLikeGlob = /[\w/-]\*\.(\w+|\{[\w,]+\})$/;

/** A glob of paths such as `src/*.{ts,tsx}` where a regular expression is expected. */
export interface MistakenGlob {
  /** The expression that finds what the glob finds. */
  readonly expression: string;
  /** Whether the glob is an expression too, of another meaning. */
  readonly isExpression: boolean;
}

/** Undefined for what is no glob. */
export function mistakenGlob(pattern: string): MistakenGlob | undefined {
  if (expressionOnly.test(pattern)) return undefined;
  const isExpression = !repeatsNothing.test(pattern);
  if (isExpression && !looksLikeGlob.test(pattern)) return undefined;
  return { expression: expressionOf(pattern), isExpression };
}

/** Unanchored at the start, where a glob without a folder names files anywhere. */
function expressionOf(glob: string): string {
  const rest = glob.replace(/^(\*\*?\/?)+/, '');
  if (rest === '') return '.';
  const parts = rest.matchAll(/\*\*\/|\*\*|[*?.]|\{([\w,.]+)\}|[^*?.{]+|\{/g);
  const body = [...parts].map(([part, choices]) => partOf(part, choices)).join('');
  return `${body}$`;
}

function partOf(part: string, choices: string | undefined): string {
  if (choices !== undefined) return `(${choices.replaceAll('.', '\\.').replaceAll(',', '|')})`;
  const known: Record<string, string> = {
    '**/': '(.*/)?',
    '**': '.*',
    '*': '[^/]*',
    '?': '[^/]',
    '.': '\\.',
    '{': '\\{',
  };
  return known[part] ?? part;
}
