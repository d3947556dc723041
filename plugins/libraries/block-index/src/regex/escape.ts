import type { CodePoints } from './ast.ts';
import { inAnyCase } from './case.ts';
import { complement, perlClass, unicodeClass } from './code-points.ts';
import type { Cursor } from './cursor.ts';

const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

/** A class after a backslash: \d, \pL, \P{Greek} …; in any case a negated one lacks what the other has in any case. */
export function takeClassEscape(cursor: Cursor, foldsCase: boolean): CodePoints | undefined {
  const start = cursor.position;
  const property = cursor.match(/\\([pP])(?:\{(\^?)([^}]*)\}|(.))/uy);
  if (property) {
    const [, letter, caret, long, short] = property;
    const set =
      unicodeClass(long ?? short ?? '') ?? cursor.fail(`Unicode has no category or script ${long ?? short}`, start);
    const folded = foldsCase ? inAnyCase(set) : set;
    return (letter === 'P') === (caret === '^') ? folded : complement(folded);
  }
  const perl = cursor.match(/\\([dDsSwW])/y)?.[1];
  return perl === undefined ? undefined : perlClass(perl);
}

/** One character after a backslash; the cursor stands on the backslash. */
export function takeEscape(cursor: Cursor): number {
  const start = cursor.position;
  cursor.take();
  const hex = cursor.match(/x(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]{1,8})\})/y);
  if (hex) {
    const code = parseInt(hex[1] ?? hex[2] ?? '', 16);
    if (code > 0x10_ffff || (code >= 0xd800 && code < 0xe000))
      cursor.fail(`\\x{${code.toString(16)}} is no character`, start);
    return code;
  }
  const octal = cursor.match(/0[0-7]{0,2}|[1-7][0-7]{1,2}/y);
  if (octal) return parseInt(octal[0], 8);
  const character = cursor.take();
  const control = Object.hasOwn(CONTROLS, character) ? CONTROLS[character] : undefined;
  if (control !== undefined) return control;
  if (/^[!-/:-@[-`{-~ ]$/.test(character)) return character.charCodeAt(0);
  if (/^[1-9]$/.test(character) || character === 'k')
    return cursor.fail('back references cannot be searched in linear time; write what they repeat', start);
  if (character === '')
    return cursor.fail('the pattern ends with a backslash; write \\\\ for the character itself', start);
  return cursor.fail(`\\${character} has no meaning; write ${character} for the character itself`, start);
}
