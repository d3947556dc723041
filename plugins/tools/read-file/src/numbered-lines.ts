import { beginningWithin, fitsSize, textSize } from '@sextant/core';
import type { TextFile } from '@sextant/contracts';

/** Most bytes of the file, and the size of its lines with their numbers, as JSON too: with its heading the answer fits the limit of a text. */
export const mostContent = 54 * 1024;

export interface LineRange {
  /** Numbers of lines, from 1; both are shown. `last` before `first` shows nothing. */
  first: number;
  last: number;
}

export interface NumberedLines {
  /** Each line as `<n>: text`, without line ends of the file. */
  content: string;
  /** Number of the last line that is shown, whole or cut. */
  lastLine: number;
  isCut: boolean;
}

/** The lines of a range with their numbers, cut where they are too much for one answer. */
export function numberedLines(file: TextFile, range: LineRange, maxBytes: number): NumberedLines {
  const text = file.text.slice(startOf(file, range.first), startOf(file, range.last + 1));
  if (text.length > mostContent || Buffer.byteLength(text) > maxBytes) return cutLines(file, range, maxBytes);
  const lines: string[] = [];
  for (let line = range.first; line <= range.last; line += 1) lines.push(`${line}: ${lineAt(file, line)}`);
  const content = lines.join('\n');
  if (!fitsSize(JSON.stringify(content), mostContent)) return cutLines(file, range, maxBytes);
  return { content, lastLine: range.last, isCut: false };
}

/** As many of the lines as fit; of the first at least its beginning. */
function cutLines(file: TextFile, { first, last }: LineRange, maxBytes: number): NumberedLines {
  const lines: string[] = [];
  let [bytes, size] = [0, 0];
  for (let line = first; line <= last; line += 1) {
    const text = lineAt(file, line);
    const numbered = `${line}: ${text}`;
    bytes += Buffer.byteLength(text) + 1;
    size += text.length > mostContent ? Infinity : sizeOf(numbered);
    if (bytes > maxBytes || size > mostContent) {
      if (line > first) return { content: lines.join('\n'), lastLine: line - 1, isCut: true };
      const ratio = textSize(numbered) / sizeOf(numbered);
      return {
        content: beginningWithin(numbered, Math.floor(ratio * Math.min(maxBytes, mostContent))),
        lastLine: line,
        isCut: true,
      };
    }
    lines.push(numbered);
  }
  return { content: lines.join('\n'), lastLine: last, isCut: false };
}

/** In a text and as JSON, where it is larger. With the end of its line. */
const sizeOf = (line: string): number => textSize(JSON.stringify(`${line}\n`)) - 2;

const startOf = ({ text, lineStarts }: TextFile, line: number): number => lineStarts[line - 1] ?? text.length;

/** One line without its line end, LF or CRLF. */
function lineAt({ text, lineStarts }: TextFile, line: number): string {
  const begin = lineStarts[line - 1] ?? text.length;
  let end = lineStarts[line] ?? text.length;
  if (end > begin && text.charCodeAt(end - 1) === 10) end -= 1;
  if (end > begin && text.charCodeAt(end - 1) === 13) end -= 1;
  return text.slice(begin, end);
}
