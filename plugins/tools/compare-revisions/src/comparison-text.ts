import { noteLines } from '@sextant/contracts';
import { oneLine, textSize } from '@sextant/core';
import type { ComparedFile, ComparisonOutput } from './wire.ts';

/** Of a text; what is not a file needs little. */
const mostOfText = 60_000;
const around = 3000;
/** Of the list that a text begins with. */
const mostOfList = 20_000;

/** All files with their lines, then the comparison as a diff with short headings. */
export function toText(output: ComparisonOutput): string {
  const { repository, base, head, files, hasNextPage, endCursor, notes = [] } = output;
  return [
    `# ${repository} – ${base.slice(0, 12)}...${head.slice(0, 12)}: ${totals(output)}`,
    ...noteLines(notes),
    ...list(output),
    ...files.map(textOf),
    ...(hasNextPage ? [`[more files; ask again with after: ${endCursor}]`] : []),
  ].join('\n');
}

function totals({ totalAdded, totalDeleted, totalModified, atLeast = [] }: ComparisonOutput): string {
  const [files, lines] = (['files', 'lines'] as const).map((each) => (atLeast.includes(each) ? 'at least ' : ''));
  return `${files}${totalModified} ${totalModified === 1 ? 'file' : 'files'}, ${lines}+${totalAdded} -${totalDeleted} lines`;
}

/** None where it is one file, or a page behind the first. */
function list({ allFiles, files, totalModified, atLeast }: ComparisonOutput): string[] {
  const listed = allFiles ?? (files.length === totalModified && files.length > 1 ? files.map(lineOf) : []);
  const more = totalModified - listed.length;
  if (listed.length === 0) return [];
  const rest = `[and ${atLeast?.includes('files') ? 'at least ' : ''}${more} more files]`;
  return [...listed.map(oneLine), ...(more > 0 ? [rest] : []), ''];
}

/** A line for each of the first files, as many as a list has room for. */
export function listOf(files: readonly ComparedFile[]): string[] {
  const lines = files.map(lineOf);
  return lines.slice(0, countIn(mostOfList, lines.map(oneLine)));
}

/** The first files whose diffs fit into a text below its list; of the first file at least what fits of it. */
export function firstShown(files: readonly ComparedFile[], listed: readonly string[]): ComparedFile[] {
  const room = mostOfText - around - listed.reduce((sum, line) => sum + sizeWithEnd(oneLine(line)), 0);
  const [first, ...others] = files;
  if (!first) return [];
  const size = sizeWithEnd(textOf(first));
  if (size > room) return [cut(first, room)];
  return [first, ...others.slice(0, countIn(room - size, others.map(textOf)))];
}

/** How many of the first texts fit. */
function countIn(room: number, texts: readonly string[]): number {
  let left = room;
  const end = texts.findIndex((text) => (left -= sizeWithEnd(text)) < 0);
  return end < 0 ? texts.length : end;
}

/** As many of its lines as fit. */
function cut(file: ComparedFile, room: number): ComparedFile {
  const isFull = { ...file, truncated: true };
  let left = room - sizeWithEnd(textOf({ ...isFull, hunks: [] }));
  const hunks = file.hunks.flatMap((hunk) => {
    left -= sizeWithEnd(headOf(hunk));
    const lines = hunk.lines.split('\n');
    const kept = lines.slice(0, Math.max(0, countIn(left, lines)));
    left = kept.length < lines.length ? 0 : left - sizeWithEnd(hunk.lines);
    return kept.length === 0 ? [] : [{ ...hunk, lines: kept.join('\n') }];
  });
  return { ...isFull, hunks };
}

/** In a text with the end of its line, and as JSON, where it may be larger. */
const sizeWithEnd = (text: string): number => textSize(JSON.stringify(`${text}\n`));

const lineOf = (file: ComparedFile): string => `${file.status} ${nameOf(file)} (${sizeOf(file)})`;

function textOf(file: ComparedFile): string {
  const { status, truncated, hunks } = file;
  return [
    oneLine(`## ${status} ${nameOf(file)} (${[sizeOf(file), ...modeOf(file)].join(', ')})`),
    ...hunks.flatMap((hunk) => [headOf(hunk), hunk.lines]),
    ...(truncated ? ['[the rest of this diff is too large; read the file at both revisions]'] : []),
  ].join('\n');
}

const nameOf = ({ path, previousPath }: ComparedFile): string =>
  previousPath === undefined ? path : `${previousPath} → ${path}`;

const sizeOf = ({ binary, added, deleted }: ComparedFile): string => (binary ? 'binary' : `+${added} -${deleted}`);

const headOf = ({ oldStart, oldLines, newStart, newLines, section }: ComparedFile['hunks'][number]): string =>
  oneLine(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@${section === undefined ? '' : ` ${section}`}`);

const modeOf = ({ oldMode, newMode }: ComparedFile): string[] =>
  oldMode !== undefined && newMode !== undefined && oldMode !== newMode ? [`mode ${oldMode} → ${newMode}`] : [];
