import { oneLine } from '@sextant/core';

const empty = '(empty)';
/** Tables of plain values that are longer are shown line by line. */
const widest = 200;

/** JSON as indented lines: `key: value`, `- item`; a short table of plain values is one line. */
export function outline(value: unknown, indent = ''): string {
  if (!isTable(value)) return indent + indented(value, indent);
  const items = itemsOf(value, '-');
  if (items.length === 0) return indent + empty;
  return items.map(([label, item]) => indent + label + below(item, indent)).join('\n');
}

/** Behind its label, or on lines of its own. */
function below(item: unknown, indent: string): string {
  const line = inline(item, indent);
  return line === undefined ? `\n${outline(item, `${indent}  `)}` : ` ${line}`;
}

/** What fits on one line: plain values, and tables of them. */
function inline(value: unknown, indent: string): string | undefined {
  if (!isTable(value)) return indented(value, `${indent}  `);
  const items = itemsOf(value, '');
  if (items.length === 0) return empty;
  if (items.some(([, item]) => isTable(item))) return undefined;
  const line = items.map(([label, item]) => (label === '' ? String(item) : `${label} ${String(item)}`)).join(', ');
  return line.length <= widest && !line.includes('\n') ? line : undefined;
}

const itemsOf = (value: object, bullet: string): [label: string, item: unknown][] =>
  Array.isArray(value)
    ? value.map((item) => [bullet, item])
    : Object.entries(value).map(([key, item]) => [`${oneLine(key)}:`, item]);

const isTable = (value: unknown): value is object => typeof value === 'object' && value !== null;

const indented = (value: unknown, indent: string): string => String(value).replaceAll('\n', `\n${indent}`);
