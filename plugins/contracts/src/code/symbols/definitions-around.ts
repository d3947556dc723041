import { spaceKinds } from './definition-kinds.ts';
import type { OutlineEntry } from './symbols.ts';

/** A definition of fewer lines says no more than its line does. */
const fewestLines = 3;

/** The definitions of an outline that say where a line in them stands. */
export const tellingPlaces = (outline: readonly OutlineEntry[]): OutlineEntry[] =>
  outline.filter(({ kind, line, endLine }) => !spaceKinds.has(kind) && endLine - line + 1 >= fewestLines);

/** The smallest of some definitions around a line. */
export const innermostAround = (line: number, all: readonly OutlineEntry[]): OutlineEntry | undefined =>
  all
    .filter((one) => one.line <= line && line <= one.endLine)
    .toSorted((a, b) => a.endLine - a.line - (b.endLine - b.line))[0];

/** The name of a definition, behind that of its container. */
export const qualifiedName = ({ name, container }: OutlineEntry): string =>
  container === undefined ? name : `${container}.${name}`;
