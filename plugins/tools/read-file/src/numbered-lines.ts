import type { TextFile } from '@sextant/contracts';

/** Most UTF-16 code units with the numbers, and most bytes of the file: with its heading the answer fits the limit of a text. */
export const mostContent = 54 * 1024;
/** No number and its separators are longer. */
const prefixLength = 12;
/** A UTF-16 code unit is at most so many bytes in UTF-8. */
const bytesPerUnit = 3;

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
export function numberedLines(file: TextFile, { first, last }: LineRange, maxBytes: number): NumberedLines {
  const begin = file.lineStarts[first - 1] ?? file.text.length;
  const length = (file.lineStarts[last] ?? file.text.length) - begin;
  const fitsSurely = length * bytesPerUnit <= maxBytes && length + (last - first + 1) * prefixLength <= mostContent;
  if (!fitsSurely) return cutLines(file, { first, last }, maxBytes);
  let content = '';
  for (let line = first; line <= last; line += 1)
    content += `${line === first ? '' : '\n'}${line}: ${lineAt(file, line)}`;
  return { content, lastLine: last, isCut: false };
}

/** The same, counting. */
function cutLines(file: TextFile, { first, last }: LineRange, maxBytes: number): NumberedLines {
  let content = '';
  let bytes = 0;
  for (let line = first; line <= last; line += 1) {
    const text = lineAt(file, line);
    const size = Buffer.byteLength(text) + 1;
    const prefix = `${line === first ? '' : '\n'}${line}: `;
    if (bytes + size > maxBytes || content.length + prefix.length + text.length > mostContent) {
      if (line > first) return { content, lastLine: line - 1, isCut: true };
      return { content: prefix + beginning(text, maxBytes), lastLine: line, isCut: true };
    }
    content += prefix + text;
    bytes += size;
  }
  return { content, lastLine: last, isCut: false };
}

/** As much of one long line as fits, without half a character. */
function beginning(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.slice(0, maxBytes)).subarray(0, maxBytes);
  return new TextDecoder().decode(bytes, { stream: true });
}

/** One line without its line end, LF or CRLF. */
function lineAt({ text, lineStarts }: TextFile, line: number): string {
  const begin = lineStarts[line - 1] ?? text.length;
  let end = lineStarts[line] ?? text.length;
  if (end > begin && text.charCodeAt(end - 1) === 10) end -= 1;
  if (end > begin && text.charCodeAt(end - 1) === 13) end -= 1;
  return text.slice(begin, end);
}
