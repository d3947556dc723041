import type { Token } from './tokens.ts';

/** Whether parentheses are read as groups: they make some, something tells that groups are meant, or there is no text beside them. */
export const areGroups = (tokens: readonly Token[]): boolean =>
  makeGroups(tokens) || tokens.some(tellsOfGroups) || !tokens.some(({ kind }) => kind === 'word');

/** Each closes one that is open, none is left open, and none is empty. */
function makeGroups(tokens: readonly Token[]): boolean {
  let depth = 0;
  for (const [i, { kind }] of tokens.entries()) {
    if (kind === 'open') depth += 1;
    else if (kind === 'close' && (--depth < 0 || tokens[i - 1]?.kind === 'open')) return false;
  }
  return depth === 0;
}

/** AND, OR and NOT; a filter in parentheses, which holds for them alone; `-(`. */
function tellsOfGroups(token: Token, i: number, tokens: readonly Token[]): boolean {
  const before = tokens[i - 1]?.kind;
  switch (token.kind) {
    case 'and':
    case 'or':
      return true;
    case 'not':
      return token.end - token.at > '-'.length || tokens[i + 1]?.kind === 'open';
    case 'filter':
      return before === 'open' || tokens[i + 1]?.kind === 'close';
    default:
      return false;
  }
}

/** Whether the parentheses in words close each other. */
export function areClosed(tokens: readonly Token[]): boolean {
  let depth = 0;
  for (const token of tokens) if (token.kind === 'word') depth = depthAfter(token.text, depth);
  return depth === 0;
}

/** How many parentheses are open behind a text; once one closes nothing NaN. */
export function depthAfter(text: string, before: number): number {
  let depth = before;
  for (const char of text) {
    if (char === '(') depth += 1;
    else if (char === ')') depth = depth > 0 ? depth - 1 : Number.NaN;
  }
  return depth;
}
