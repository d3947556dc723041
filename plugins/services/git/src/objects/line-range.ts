import { SextantError, fromOneLine, oneLine } from '@sextant/core';

/** From 1, inclusive; beyond the last line `endLine` means the last line. */
interface LineRange {
  readonly startLine: number;
  readonly endLine: number | undefined;
}

/** The last line of a range that a file has. */
export function lastLineOf(
  { startLine, endLine = Infinity }: LineRange,
  { inFile, most }: { inFile: number; most: number },
): number {
  const last = Math.min(endLine, inFile);
  const isRange = Number.isInteger(startLine) && Number.isInteger(last) && startLine >= 1 && startLine <= last;
  if (!isRange)
    throw new SextantError(
      'invalid_argument',
      `lines ${startLine} to ${last} are not there; the file has ${inFile} lines`,
    );
  if (last - startLine >= most)
    throw new SextantError(
      'too_large',
      `${last - startLine + 1} lines are more than the ${most} that can be asked for at once; ask for fewer with startLine and endLine`,
    );
  return last;
}

/** Only an exact name can be told to git as an argument. */
export function requireName(path: string): void {
  if (path.includes('\uFFFD') || fromOneLine(path) !== path)
    throw new SextantError(
      'invalid_argument',
      oneLine(`"${path}" has characters in its name that git cannot be asked for`),
    );
}
