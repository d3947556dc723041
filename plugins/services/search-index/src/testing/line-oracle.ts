import { inCase } from './expression-forms.ts';
import type { Oracle, Term } from './oracle.ts';

/** Of lines that are longer JavaScript's expressions may take very long. */
const longestLine = 2000;

/** What JavaScript finds line by line, in files of any encoding; it knows letters in any case, classes of Unicode and every kind of line end. */
export class LineOracle implements Oracle {
  readonly paths: ReadonlySet<string>;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #inJavaScript: ReadonlyMap<string, string>;

  /** Expressions must be in `inJavaScript`. */
  constructor(texts: ReadonlyMap<string, string>, inJavaScript: ReadonlyMap<string, string>) {
    this.#texts = new Map([...texts].filter(([, text]) => !new RegExp(`[^\\n]{${longestLine}}`).test(text)));
    this.#inJavaScript = inJavaScript;
    this.paths = new Set(this.#texts.keys());
  }

  linesWith(term: Term): Map<string, number> {
    const expression = this.#expressionOf(term);
    const found = new Map<string, number>();
    const isAcross = term.kind === 'literal' && term.text.includes('\n');
    for (const [path, text] of this.#texts) {
      const count = isAcross ? Number(expression.test(text)) : countOf(text, expression);
      if (count > 0) found.set(path, count);
    }
    return found;
  }

  isPathWith(term: Term, path: string): boolean {
    return this.#expressionOf(term).test(path);
  }

  isNamed(filter: string, path: string): boolean {
    return this.#expressionOf({ kind: 'regex', pattern: filter, isCaseSensitive: false }).test(path);
  }

  #expressionOf(term: Term): RegExp {
    if (term.kind === 'literal') {
      return new RegExp([...term.text].map((character) => inCase(character, !term.isCaseSensitive)).join(''), 'su');
    }
    const source = this.#inJavaScript.get(term.pattern);
    if (source === undefined) throw new Error(`nobody said what ${term.pattern} is in JavaScript`);
    return new RegExp(source, 'su');
  }
}

function countOf(text: string, expression: RegExp): number {
  let count = 0;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    if (expression.test(text.slice(from, to))) count += 1;
    from = to + 1;
  }
  return count;
}
