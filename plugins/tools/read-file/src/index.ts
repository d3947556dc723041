import { Repositories, path, repo, revision } from '@sextant/contracts';
import type { Repository, TextFile } from '@sextant/contracts';
import { SextantError, definePlugin, isSextantError, defineTool, oneLine } from '@sextant/core';
import { z } from 'zod';
import { file } from './file-resource.ts';
import { mostContent, numberedLines } from './numbered-lines.ts';

/** What is shown of a file where no range is asked for. Of a large file that is less: it is seldom wanted from its beginning on. */
const unasked = { bytes: 40 * 1024, lines: 1000, linesOfLarge: 200 };
const largeFileBytes = 128 * 1024;

const input = z.object({
  repo,
  path,
  startLine: z.int().min(1).describe('First line; default: 1').optional(),
  endLine: z.int().min(1).describe('Last line; default: the end').optional(),
  revision,
});

const output = z.object({
  repo: z.string(),
  path: z.string(),
  revision: z.string(),
  startLine: z.int(),
  endLine: z.int(),
  totalLines: z.int(),
  truncated: z.boolean(),
  content: z.string(),
  notice: z.string().optional(),
});

export const readFile = defineTool({
  name: 'read_file',
  title: 'Read a file',
  description:
    'Reads lines of a file at any revision, numbered: startLine to endLine, or the first 1,000 (40 KB; 200 of a file over 128 KB).',
  guidance: { follow: 'read_file reads numbered lines; ask for the range that an answer names.' },
  endpoints: ['default'],
  activity: 'reading',
  needs: { repositories: Repositories },
  input,
  output,
  async run(
    { repo: name, path, startLine, endLine, revision: wanted },
    { repositories },
    { caller, signal, noteRepository },
  ) {
    const repository = await repositories.open(caller, name);
    noteRepository?.(repository.info.name);
    const place = { path, startLine, endLine };
    const { commit, path: file, text, asked } = await readPlace({ repository, revision: wanted, signal }, place);
    const range = rangeOf(text, asked);
    const shown = numberedLines(text, range, range.isAsked ? mostContent : unasked.bytes);
    const truncated = shown.isCut || range.isShortened;
    const notice = noticeOf(text, { shownTo: shown.lastLine, truncated });
    return {
      repo: name,
      path: file,
      revision: commit,
      startLine: range.first,
      endLine: shown.lastLine,
      totalLines: text.lineStarts.length,
      truncated,
      content: shown.content,
      ...(notice && { notice }),
    };
  },
  toText: ({ repo: name, path: file, revision: commit, startLine, endLine, totalLines, content, notice }) => {
    const lines = totalLines === 0 ? 'empty' : `lines ${startLine}–${endLine} of ${totalLines}`;
    return [oneLine(`# ${name} – ${file} (${commit.slice(0, 12)}, ${lines})`), content, notice]
      .filter((part) => part)
      .join('\n');
  },
  rest: 'ask for fewer lines with startLine and endLine',
  filesOf: ({ path: file }) => [file],
});

export default definePlugin({ name: 'tool-read-file', tools: [readFile], resources: [file] });

interface Wanted {
  startLine: number | undefined;
  endLine: number | undefined;
}

/** Lines shown before and behind a single line. */
const around = 20;

interface Reading {
  readonly repository: Repository;
  readonly revision: string | undefined;
  readonly signal: AbortSignal;
}

/** A file, also where lines stand behind its path as answers write them: `src/main.ts:12-30`. */
async function readPlace(
  { repository, revision: wanted, signal }: Reading,
  { path, ...asked }: Wanted & { path: string },
): Promise<{ commit: string; path: string; text: TextFile; asked: Wanted }> {
  try {
    const { commit, file: text } = await repository.readTextAt(wanted, path, signal);
    return { commit, path, text, asked };
  } catch (error) {
    const [, file, first, last] = /^(.+?):(\d{1,9})(?:-(\d{1,9}))?$/.exec(path) ?? [];
    if (file === undefined || asked.startLine !== undefined || !isSextantError(error) || error.code !== 'not_found')
      throw error;
    const line = Math.max(1, Number(first));
    const lines =
      last === undefined
        ? { startLine: Math.max(1, line - around), endLine: line + around }
        : { startLine: line, endLine: Number(last) };
    const { commit, file: text } = await repository.readTextAt(wanted, file, signal);
    return { commit, path: file, text, asked: lines };
  }
}

/** `isShortened` where no range is asked for and the file has more lines than are shown then. */
interface ShownRange {
  first: number;
  last: number;
  isAsked: boolean;
  isShortened: boolean;
}

function rangeOf({ bytes, lineStarts }: TextFile, { startLine, endLine }: Wanted): ShownRange {
  const total = lineStarts.length;
  const first = startLine ?? 1;
  if (startLine !== undefined && startLine > total)
    throw new SextantError(
      'invalid_argument',
      `startLine ${startLine} is past the end: the file has ${total} ${total === 1 ? 'line' : 'lines'}`,
    );
  if (endLine !== undefined && endLine < first)
    throw new SextantError(
      'invalid_argument',
      `endLine ${endLine} is before startLine ${first}; give the first line as startLine`,
    );
  const isAsked = startLine !== undefined || endLine !== undefined;
  const most = isAsked ? total : bytes > largeFileBytes ? unasked.linesOfLarge : unasked.lines;
  const last = Math.min(endLine ?? most, total);
  return { first, last, isAsked, isShortened: !isAsked && last < total };
}

function noticeOf(
  { encoding, bytes, lineStarts }: TextFile,
  { shownTo, truncated }: { shownTo: number; truncated: boolean },
): string {
  const rest =
    shownTo < lineStarts.length
      ? `ask for the rest with startLine ${shownTo + 1} and endLine`
      : 'the last line is longer than what is shown';
  const notices = [
    ...(encoding === 'utf-8' ? [] : [`decoded from ${encoding}`]),
    ...(truncated
      ? [`the file has ${bytes} bytes and ${lineStarts.length} lines; this is cut after line ${shownTo}: ${rest}`]
      : []),
  ];
  return notices.length === 0 ? '' : `[${notices.join('; ')}]`;
}
