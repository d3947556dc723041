import { hash } from 'node:crypto';
import type { Repository } from '@sextant/contracts';
import { sourceOf, sourceOfText } from '../file-source.ts';
import { within } from '../visit.ts';
import type { Highlighted, Highlighter, Source } from './highlighter.ts';
import { languageOf } from './languages.ts';

/** Only in a file with at most so many bytes, and up to this line, is all coloured that stands before a piece. */
const mostBytes = 200_000;
const mostLines = 2000;

/** Neighbouring lines of a file, without line ends. */
export interface Piece {
  readonly language: string | undefined;
  readonly lines: readonly string[];
  /** The line of the file, counted from 1, at which they begin. */
  readonly startLine: number;
  /** The file; undefined where it cannot be read. */
  readonly whole: Promise<Source | undefined>;
}

/** Whether the colours of lines that begin here depend on what stands before them, which is short enough to be read. */
export const needsWhole = (startLine: number): boolean => startLine > 1 && startLine < mostLines;

export const isShortEnough = ({ bytes }: { readonly bytes: number }): boolean => bytes <= mostBytes;

/** The file that pieces are of, where the colours of one that begins at these lines depend on it, and it can be read. */
export async function wholeOf(
  repository: Pick<Repository, 'find' | 'readText'>,
  { commit, path, startLines }: { commit: string; path: string; startLines: readonly number[] },
  signal: AbortSignal,
): Promise<Source | undefined> {
  if (!startLines.some(needsWhole) || languageOf(path) === undefined) return undefined;
  try {
    const { id } = await repository.find(commit, path, signal);
    const text = await repository.readText(commit, path, signal);
    return isShortEnough(text) ? sourceOf(text, id, path) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The markup of each line as it is in the whole file: a piece may begin inside a comment. Where this is not ready after so
 * many milliseconds, the piece is coloured as a text of its own.
 */
export async function colouredPiece(highlighter: Highlighter, piece: Piece, waitMs: number): Promise<Highlighted> {
  const { language, lines } = piece;
  const text = lines.join('\n');
  const alone = { ...sourceOfText(text, hash('sha256', text), language), lineCount: lines.length };
  const [own, whole] = await Promise.all([
    highlighter.lines(alone, [0, lines.length], waitMs),
    within(waitMs, inWhole(highlighter, piece, waitMs)),
  ]);
  if (whole === 'none') return own;
  return whole?.isComplete ? whole : { ...own, isComplete: false };
}

/** None where the file cannot be read, or has other lines there, as one whose encoding is not known. */
async function inWhole(
  highlighter: Highlighter,
  { language, lines, startLine, whole }: Piece,
  waitMs: number,
): Promise<Highlighted | 'none'> {
  const to = startLine - 1 + lines.length;
  if (language === undefined || !needsWhole(startLine) || to > mostLines) return 'none';
  const source = await whole;
  const stored = source?.lines(startLine - 1, to) ?? [];
  if (!source || lines.some((line, index) => line.replace(/\r+$/, '') !== stored[index])) return 'none';
  return highlighter.lines(source, [startLine - 1, to], waitMs);
}
