import type { CodePoints } from './ast.ts';
import { asciiClass, complement, union } from './code-points.ts';
import { inAnyCase } from './case.ts';
import type { Cursor } from './cursor.ts';
import { takeClassEscape, takeEscape } from './escape.ts';

/** A class in brackets; the cursor stands on the opening one. */
export function takeCharClass(cursor: Cursor, foldsCase: boolean): CodePoints {
  const start = cursor.position;
  cursor.take();
  const isNegated = cursor.accept('^');
  const sets: CodePoints[] = [];
  for (let isFirst = true; isFirst || cursor.next !== ']'; isFirst = false) {
    if (cursor.isAtEnd) cursor.fail('the class has no closing ]', start);
    sets.push(takeNamed(cursor, foldsCase) ?? takeClassEscape(cursor, foldsCase) ?? takeRange(cursor));
  }
  cursor.take();
  const set = union(...sets);
  const folded = foldsCase ? inAnyCase(set) : set;
  return isNegated ? complement(folded) : folded;
}

function takeNamed(cursor: Cursor, foldsCase: boolean): CodePoints | undefined {
  const start = cursor.position;
  const [, caret, name] = cursor.match(/\[:(\^?)([^:\]]*):\]/y) ?? [];
  if (name === undefined) return undefined;
  const set = asciiClass(name) ?? cursor.fail(`there is no class [:${name}:]`, start);
  const folded = foldsCase ? inAnyCase(set) : set;
  return caret === '^' ? complement(folded) : folded;
}

function takeRange(cursor: Cursor): CodePoints {
  const start = cursor.position;
  const from = takeMember(cursor);
  if (cursor.next !== '-' || cursor.pattern[cursor.position + 1] === ']') return [from, from];
  cursor.take();
  if (takeClassEscape(cursor, false)) cursor.fail('a range ends with one character, not with a class', start);
  const to = takeMember(cursor);
  return from <= to ? [from, to] : cursor.fail('the range of the class runs backwards', start);
}

function takeMember(cursor: Cursor): number {
  if (cursor.isAtEnd) return cursor.fail('the class has no closing ]');
  return cursor.next === '\\' ? takeEscape(cursor) : (cursor.take().codePointAt(0) ?? 0);
}
