import type { DiffSide, FoundDiff } from '@sextant/contracts';

/** A changed line, with its number in the file after the change (of a removed one: before it). */
export interface ChangedLine {
  readonly line: number;
  readonly side: DiffSide;
  /** Without its marker. */
  readonly text: string;
}

/** What stands for lines of a hunk that are not shown. */
const cutNote = /^\[\d+ lines of this hunk/;

/** Whether a hunk has more lines than are shown. */
export const isCut = ({ hunk }: Pick<FoundDiff, 'hunk'>): boolean =>
  hunk.split('\n').some((line) => cutNote.test(line));

/** The lines of a hunk that have the pattern. Where the beginning of the hunk is not shown, numbers are not known: 0. */
export function changedLines({ hunk, matchRanges }: Pick<FoundDiff, 'hunk' | 'matchRanges'>): ChangedLine[] {
  const matching = new Set(matchRanges.map(({ line }) => line));
  const [heading = '', ...lines] = hunk.split('\n');
  const [, old = '0', added = '0'] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(heading) ?? [];
  const at = { removed: Number(old), added: Number(added) };
  const isNumbered = !cutNote.test(lines[0] ?? '');
  return lines.flatMap((text, index) => {
    const side = sideOf(text);
    const line = side && isNumbered ? at[side] : 0;
    if (side !== 'added' && isOfFile(text)) at.removed += 1;
    if (side !== 'removed' && isOfFile(text)) at.added += 1;
    return side && matching.has(index + 2) ? [{ line, side, text: text.slice(1) }] : [];
  });
}

/** `\ No newline at end of file` is no line. */
const isOfFile = (text: string): boolean => !text.startsWith('\\');

function sideOf(text: string): DiffSide | undefined {
  if (text.startsWith('+')) return 'added';
  return text.startsWith('-') ? 'removed' : undefined;
}
