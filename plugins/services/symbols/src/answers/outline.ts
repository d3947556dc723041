import { cut } from '@sextant/core';
import type { Outline, OutlineEntry } from '@sextant/contracts';
import { declaration, mostDefinitions } from '../limits.ts';
import type { Definition } from '../parse/file-symbols.ts';

/** Whether a definition can be seen from outside of the function it stands in. */
export const isVisible = ({ isMember, scope, kind }: Definition): boolean =>
  !['key', 'package'].includes(kind) && (isMember || (!scope && kind !== 'parameter'));

/** The definitions of a file that can be seen from outside of its functions. Awaits `share` before each. */
export async function outlineOf(
  definitions: readonly Definition[],
  text: string,
  share: () => Promise<void>,
): Promise<Outline> {
  const visible = definitions.filter(isVisible);
  const lines = text.split(/\r\n|\n|\r/);
  const entries: OutlineEntry[] = [];
  for (const definition of visible.slice(0, mostDefinitions.outline)) {
    await share();
    entries.push(entryOf(definition, lines));
  }
  return { limitHit: visible.length > mostDefinitions.outline, definitions: entries };
}

function entryOf(definition: Definition, lines: readonly string[]): OutlineEntry {
  const { name, kind, line, endLine, container } = definition;
  const place = { name, kind, line, endLine, ...(container !== undefined && { container }) };
  return { ...place, ...declarationOf(lines, definition) };
}

/** What a reader wants to know of a definition besides where it is. */
interface Declaration {
  /** Its first lines up to its body, as one line. */
  readonly signature: string;
  /** The first line of the comment above it, or of the string that its body begins with. */
  readonly docs?: string;
}

/** Attributes, annotations and decorators. */
const attribute = /^\s*(@\w|#!?\[|\[\w[^\]]*\]\s*$)/;
const blockEnd = /\*\/\s*$|^=end\b|(?:--)?\]\]\s*$/;
const blockStart = /^\s*\/\*|^=begin\b|^\s*--\[\[/;
const commentLine = /^\s*(?:\/\/|--(?!\[\[)|#(?:\s|#|!|$))/;
const marks = /^\s*(?:\/\*+!?|\*+(?!\/)|\/\/[/!]*|--+(?:\[\[)?|#+!?|=begin|[rRuU]?(?:"""|'''|"))\s?/;
/** Expects a line without blanks at its end. Only the first of many asterisks can begin the mark, so that it takes linear time. */
const endMarks = /(?:(?<!\*)\*+\/|\]\]|"""|'''|"|=end)$/;
const docString = /^\s*[rRuU]?("""|'''|")/;

/** The signature and comment of a definition, from the lines of its file. */
export function declarationOf(lines: readonly string[], definition: Definition): Declaration {
  const { startLine, line, endLine, column } = definition;
  let first = startLine - 1;
  while (first < line - 1 && attribute.test(beginOf(lines[first]))) first += 1;
  const leftOut = Math.max(0, column - declaration.columns);
  const shownLines = lines
    .slice(first, Math.min(Math.max(endLine, line), first + declaration.signatureLines))
    .map((one, index) =>
      first + index === line - 1 ? one.slice(leftOut, column + declaration.columns) : beginOf(one),
    );
  const text = shownLines.join('\n');
  const before = lines.slice(first, line - 1).map((one) => beginOf(one).length + 1);
  const nameAt = before.reduce((sum, length) => sum + length, column - leftOut);
  const inner = innerStart(text, nameAt);
  const end = signatureEnd(text, nameAt, inner > 0);
  // A part of a line, such as a parameter, has no comment of its own.
  const docs =
    inner > 0
      ? undefined
      : (firstText(commentAbove(lines, first)) ??
        firstText(textBelow(lines, first + text.slice(0, end).split('\n').length)));
  return {
    signature: shortened(text.slice(inner, nameAt).replaceAll(/\{[^{}]*\}/g, '{…}') + text.slice(nameAt, end)),
    ...(docs !== undefined && { docs: shortened(docs) }),
  };
}

const beginOf = (line = ''): string => line.slice(0, declaration.columns);

/** The offset where a name's part of the list or body around it begins. 0 if nothing is around it, or only `(*name)` of C. */
function innerStart(text: string, nameAt: number): number {
  const open: number[] = [];
  for (let at = 0; at < nameAt; at += 1) {
    const char = text[at] ?? '';
    if ('([{'.includes(char)) open.push(text[at + 1] === '*' ? 0 : at + 1);
    else if (')]}'.includes(char)) open.pop();
    else if (',;'.includes(char) && (open.at(-1) ?? 0) > 0) open[open.length - 1] = at + 1;
  }
  return open.findLast((start) => start > 0) ?? 0;
}

/** The offset of the bracket that opens the body, or of the end of the line if no bracket is open there. */
function signatureEnd(text: string, nameAt: number, isInner: boolean): number {
  let open = 0;
  for (let at = nameAt; at < text.length; at += 1) {
    const char = text[at] ?? '';
    const isArrow = char === '>' && '-='.includes(text[at - 1] ?? ' ');
    if ('(['.includes(char) || (isInner && char === '<')) open += 1;
    else if (open > 0) open -= Number(')]'.includes(char) || (isInner && char === '>' && !isArrow));
    else if ('{;})]'.includes(char) || (isInner && char === ',')) return at;
    else if (char === '\n' && !/[,=]\s*$/.test(text.slice(at - 40 < 0 ? 0 : at - 40, at))) return at;
  }
  return text.length;
}

/** The lines of the comment above a line. Attributes between them are skipped. */
function commentAbove(lines: readonly string[], first: number): readonly string[] {
  let last = first - 1;
  while (last >= 0 && first - last < declaration.commentLines && attribute.test(beginOf(lines[last]))) last -= 1;
  const isBlock = blockEnd.test(beginOf(lines[last])) && !commentLine.test(beginOf(lines[last]));
  let start = last;
  while (start >= 0 && last - start < declaration.commentLines && isPartOf(beginOf(lines[start]), isBlock)) start -= 1;
  return lines.slice(isBlock ? start : start + 1, last + 1);
}

const isPartOf = (line: string, isBlock: boolean): boolean =>
  isBlock ? !blockStart.test(line) : commentLine.test(line);

/** The lines of the string that a body begins with. */
const textBelow = (lines: readonly string[], end: number): readonly string[] =>
  docString.test(lines[end] ?? '') ? lines.slice(end, end + 3) : [];

/** The first line with words, without marks of comments and markup. */
function firstText(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const bare = beginOf(line).trimEnd().replace(marks, '').replace(endMarks, '');
    const said = bare.replaceAll(/<\/?[a-z]+>/g, '').trim();
    if (/\p{L}/u.test(said) && !said.startsWith('!')) return said;
  }
  return undefined;
}

function shortened(text: string): string {
  const bare = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/([([]) /g, '$1')
    .replaceAll(/,? ([)\]])/g, '$1');
  let end = bare.length;
  while (end > 0 && ' :={,'.includes(bare[end - 1] ?? '')) end -= 1;
  return cut(bare.slice(0, end).trim(), declaration.characters);
}
