import type { CodePoints } from './ast.ts';
import { has, union } from './code-points.ts';

let others: Map<number, number[]> | undefined;

/** Other characters that are the same in any case, by code point, beyond ASCII. */
function otherCases(): Map<number, number[]> {
  others ??= collect();
  return others;
}

/**
 * Simple case folding (Unicode's CaseFolding.txt, statuses C and S) from the engine's tables. Characters that fold into ASCII (K
 * the Kelvin sign, ſ the long s) are left out: ASCII letters have only ASCII letters as other cases, so that a search for them
 * in any case needs to look at one byte per character.
 */
function collect(): Map<number, number[]> {
  const cases = new Map<number, number[]>();
  const changes =
    /[\p{Changes_When_Lowercased}\p{Changes_When_Uppercased}\p{Changes_When_Titlecased}\p{Changes_When_Casefolded}]/u;
  for (let c = 128; c < 0x2_0000; c++) {
    const text = String.fromCodePoint(c);
    if (!changes.test(text)) continue;
    const same = new RegExp(`^${text}$`, 'iu');
    const lower = text.toLowerCase();
    const upper = text.toUpperCase();
    const candidates = new Set([lower, upper, lower.toUpperCase(), upper.toLowerCase()]);
    for (const other of candidates)
      if (other !== text && isOneBeyondAscii(other) && same.test(other)) connect(cases, text, other);
  }
  return cases;
}

function isOneBeyondAscii(text: string): boolean {
  const c = text.codePointAt(0) ?? 0;
  return c >= 128 && text.length === (c > 0xffff ? 2 : 1);
}

/** Joins the groups of two characters. */
function connect(cases: Map<number, number[]>, a: string, b: string): void {
  const codes = [a, b].map((text) => text.codePointAt(0) ?? 0);
  const group = [...new Set(codes.flatMap((c) => [c, ...(cases.get(c) ?? [])]))];
  for (const c of group)
    cases.set(
      c,
      group.filter((other) => other !== c),
    );
}

/** Whether the character has another case. */
export function hasCase(codePoint: number): boolean {
  return codePoint < 128 ? isLetter(codePoint) : otherCases().has(codePoint);
}

const isLetter = (c: number): boolean => (c >= 65 && c <= 90) || (c >= 97 && c <= 122);

/** The set with the other cases of its members. */
export function inAnyCase(set: CodePoints): CodePoints {
  const more: number[] = [];
  for (let c = 65; c <= 122; c++) if (isLetter(c) && has(set, c)) more.push(c ^ 32, c ^ 32);
  if ((set.at(-1) ?? 0) < 128) return union(set, more);
  for (const [c, cases] of otherCases()) if (has(set, c)) for (const other of cases) more.push(other, other);
  return union(set, more);
}
