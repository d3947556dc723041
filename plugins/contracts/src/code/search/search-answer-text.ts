import { oneLine } from '@sextant/core';
import { defaultSearchLimits } from './answer-limits.ts';
import type { FileBlock, SearchAnswer, SearchBlock, SearchChunk } from './search-answer.ts';
import { filesWithContext } from './shown-files.ts';

/** What a model reads: a heading per file, the lines below it, a gap between chunks. */
export const fileBlocksText = (blocks: readonly FileBlock[]): string =>
  blocks.map((block) => blockText(block)).join('\n\n');

function blockText(block: SearchBlock, remark = ''): string {
  const heading = oneLine(`# ${nameOf(block)}${block.file === '' ? '' : ` – ${block.file}`}${remark}`);
  return [heading, ...block.chunks.flatMap(chunkLines)].join('\n');
}

/** A gap, which also says what the lines below stand in. */
function chunkLines({ content, within }: SearchChunk, index: number, all: readonly SearchChunk[]): string[] {
  const said = within === undefined || within === all[index - 1]?.within ? [] : [`in ${within}`];
  const gap = [...(index > 0 ? ['…'] : []), ...said].join(' ');
  return [...(gap === '' ? [] : [oneLine(gap)]), content];
}

/** Remarks as answers end with them. */
export const noteLines = (notes: readonly string[]): string[] => notes.map((note) => oneLine(`[${note}]`));

/** What a model reads: the best first, then remarks, then what was left out and how to get it. */
export function searchAnswerText(answer: SearchAnswer): string {
  const { blocks, limitHit, notSearched, notes = [] } = answer;
  const found = blocks.length > 0 ? blocksText(blocks) : 'No matches.';
  const reasons = notSearched?.reasons.filter((reason) => !notes.includes(reason)) ?? [];
  const remarks = noteLines([...notes, ...reasons]);
  if (blocks.length === 0 && limitHit) return [found, ...remarks, cutText(remarks.length > 0)].join('\n\n');
  return [found, ...remarks, ...leftText(answer)].join('\n\n');
}

/** Files with the lines around their matches, then lines of others under the name of their repository. */
function blocksText(blocks: readonly SearchBlock[]): string {
  if (blocks.every(({ file }) => file === '')) return blocks.map((block) => blockText(block)).join('\n');
  const end = blocks.findLastIndex((block, index) => (index < filesWithContext ? saysMore(block) : hasContext(block)));
  const best = blocks.slice(0, end + 1).map((block) => blockText(block, matchesOf(block)));
  const heading = best.length > 0 ? 'more files' : 'files';
  const others = Map.groupBy(blocks.slice(end + 1), nameOf);
  const texts = [...others].map(([name, files]) =>
    [oneLine(`# ${name} – ${heading}`), ...files.map(linesText)].join('\n'),
  );
  return [...best, ...texts].join('\n\n');
}

/** Whether more is known of a file than that its path matches. */
const saysMore = ({ chunks, matchCount = 0 }: SearchBlock): boolean => chunks.length > 0 || matchCount > 0;

const hasContext = ({ chunks }: SearchBlock): boolean => chunks.some(({ startLine, endLine }) => startLine < endLine);

/** `path:line: text` for each line of a file, with how many more there are; the path alone where only that matches. */
function linesText({ file, chunks, matchCount = 0, matchesShown = 0 }: SearchBlock): string {
  if (chunks.length === 0) return oneLine(file);
  const shown = matchCount > matchesShown ? ` (${matchesShown} of ${matchCount})` : '';
  const lines = chunks.map(
    ({ startLine, content }) => `${file}:${startLine}${shown}:${content.slice(content.indexOf(':') + 1)}`,
  );
  return lines.map(oneLine).join('\n');
}

const nameOf = ({ repo, rev }: SearchBlock): string => (rev === undefined ? repo : `${repo}@${rev}`);

/** How many of the matches of a file are shown; of a file that its path alone matches there are none. */
function matchesOf({ matchCount = 0, matchesShown = 0 }: SearchBlock): string {
  if (matchCount === 0) return '';
  const shown = matchesShown < matchCount ? `${matchesShown} of ` : '';
  return ` (${shown}${plural(matchCount, 'match', 'matches')})`;
}

const plural = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`;

/** The last line: what is shown of how much, and how to see the rest. Empty where everything is shown. */
function leftText({ blocks, matchCount, fileCount = blocks.length, limitHit, notSearched }: SearchAnswer): string[] {
  const lines = blocks.reduce(
    (sum, { matchCount: inFile = 0, matchesShown = 0 }) => sum + Math.min(inFile, matchesShown),
    0,
  );
  const hidesFiles = blocks.length < fileCount;
  const hidesLines = blocks.some(({ matchCount: inFile = 0, matchesShown = 0 }) => inFile > Math.max(1, matchesShown));
  const how = howToGoOn({ blocks, hidesFiles });
  // Of definitions only the matches are counted.
  if (!hidesFiles && !hidesLines)
    return limitHit && !notSearched ? [`[not all of ${matchCount} or more matches are shown; ${how}]`] : [];
  const atLeast = hidesFiles ? 'at least ' : '';
  const kind = blocks[0]?.type === 'repo' ? 'repositories' : 'files';
  const ofFiles = hidesFiles
    ? `${blocks.length} of ${atLeast}${fileCount} ${kind}`
    : plural(blocks.length, 'file', kind);
  const ofLines =
    lines === 0 && !hidesLines ? '' : `${lines} of ${atLeast}${plural(matchCount, 'match', 'matches')} in `;
  return [`[${ofLines}${ofFiles} shown; ${how}]`];
}

function howToGoOn({ blocks, hidesFiles }: { blocks: readonly SearchBlock[]; hidesFiles: boolean }): string {
  const shown = blocks.flatMap(({ chunks }) => chunks);
  const isFull =
    shown.length > defaultSearchLimits.files * defaultSearchLimits.chunksPerFile ||
    blocks.length > defaultSearchLimits.files;
  if (!hidesFiles && blocks.length === 1) return 'read_file shows the rest of the file';
  if (isFull) return 'for the rest, search one repository, folder or file at a time with repo: and file:';
  return `narrow it with words, repo: or file:${hidesFiles ? ', or ask for more with count:N or count:all' : '; count:all shows all that fits'}`;
}

/** Nothing was found, but only a part was searched. */
const cutText = (isSaid: boolean): string =>
  `[Not all was searched${isSaid ? ', as said above' : ''}: this does not mean that there is nothing; narrow the search with repo: or file:, or search again later]`;
