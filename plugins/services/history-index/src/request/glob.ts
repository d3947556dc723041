import { escapeRegExp, fromOneLine, SextantError } from '@sextant/core';

/**
 * The regular expression (RE2) of a glob: `*`, `?` and classes match `/` too, as where git is given no magic; `**` before a slash also
 * matches nothing. Throws `invalid_argument` naming the argument.
 */
export function globRegex(glob: string, argument: string): string {
  let regex = '';
  for (let i = 0; i < glob.length; ) {
    const { text, length } = partAt(glob, i, argument);
    regex += text;
    i += length;
  }
  return regex;
}

function partAt(glob: string, i: number, argument: string): { text: string; length: number } {
  const character = glob.charAt(i);
  if (glob.startsWith('**/', i) && (i === 0 || glob[i - 1] === '/')) return { text: '(?:(?s:.*)/)?', length: 3 };
  if (character === '*') return { text: '(?s:.*)', length: 1 };
  if (character === '?') return { text: '(?s:.)', length: 1 };
  if (character === '[') return classAt(glob, i, argument);
  if (character === '\\' && i + 1 < glob.length) return { text: pathText(glob.charAt(i + 1)), length: 2 };
  // Whole characters: half of a surrogate pair is no regular expression.
  const whole = String.fromCodePoint(glob.codePointAt(i) ?? 0);
  return { text: pathText(whole), length: whole.length };
}

const classForm = /\[([!^]?)(\]?(?:\[:[a-z]+:\]|\\[\s\S]|[^\]\\])*)\]/y;

function classAt(glob: string, i: number, argument: string): { text: string; length: number } {
  classForm.lastIndex = i;
  const [whole, not, members = ''] = classForm.exec(glob) ?? [];
  if (whole === undefined || members === '')
    throw new SextantError(
      'invalid_argument',
      `Argument "${argument}": the glob "${glob}" has a "[" without "]"; write \\[ for the character itself.`,
    );
  const inside = members.replaceAll(/\[:[a-z]+:\]|\\[\s\S]|[[\]^\\]/g, (part) =>
    part.startsWith('[:') || part.length === 2 ? part : `\\${part}`,
  );
  return { text: `[${not === '' ? '' : '^'}${inside}]`, length: whole.length };
}

/** A path as a regular expression that matches just it: it may have line feeds, where a line has none, and never a NUL. */
const pathText = (text: string): string => escapeRegExp(text).replaceAll('\n', String.raw`[\n\x00]`);

/** A path matches if it, or a folder above it, has this name (literal or escaped), or if the glob matches the whole path. */
export function pathRegex(glob: string): string {
  const path = glob.replace(/^\.?\/+/, '');
  if (/^\/*$/.test(path)) return '^';
  const ways = [...new Set([path, fromOneLine(path)])].flatMap(waysToMatch);
  return ways.length === 1 ? `^${ways.join('')}` : `^(?:${ways.join('|')})`;
}

function waysToMatch(path: string): string[] {
  const name = path.replace(/\/+$/, '');
  const named = `${pathText(name)}${path === name ? '(?:/|$)' : '/'}`;
  return /[*?[\\]/.test(name) ? [named, `${globRegex(path, 'files')}$`] : [named];
}

/** What a ref must match for `git log --glob`: `refs/` in front if it is missing, `/*` behind where there is no wildcard. */
export function refRegex(glob: string): string {
  const full = glob.startsWith('refs/') ? glob : `refs/${glob}`;
  return `^${globRegex(/[*?[]/.test(full) ? full : `${full.replace(/\/$/, '')}/*`, 'revisions')}$`;
}

/** What a ref must match for a glob as branches and tags are named: `feature/*`, `tags/v1.*`, `refs/heads/*`. */
export const refNameRegex = (glob: string): string =>
  glob.startsWith('refs/')
    ? `^${globRegex(glob, 'revisions')}$`
    : `^refs/(?:heads/|tags/)?${globRegex(glob, 'revisions')}$`;
