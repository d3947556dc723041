import type { FoundFile, Query } from '@sextant/contracts';
import { MAX_LITERAL_BYTES } from '@sextant/library-block-index';
import { piecesIn, runsIn } from '@sextant/library-search-results';

/** So many words of a piece that stands nowhere are looked for: one of the others may be a value. */
const windowWords = 4;
/** So many searches it may take. */
const mostTries = 8;

/** The best file that has a part of a query. */
type FindsOne = (part: Query) => Promise<readonly FoundFile[]>;

/** The parts of what is looked for that may stand somewhere as they are, a message with values being pasted: the longest first. */
export function partsOfMessage(asked: readonly Query[]): string[] {
  const text = asked.flatMap((part) => (part.kind === 'literal' ? part.text : [])).join(' ');
  const pieces = piecesIn(text);
  const windows = pieces.flatMap((piece) => runsIn(piece.text, windowWords));
  const parts = new Set([...pieces.map((piece) => piece.text), ...windows]);
  parts.delete(text.toLowerCase());
  return [...parts].filter((part) => Buffer.byteLength(part) <= MAX_LITERAL_BYTES).slice(0, mostTries);
}

/** Where one of them stands: a sentence to be put behind another, or nothing. */
export async function partOfMessage(asked: readonly Query[], find: FindsOne): Promise<string> {
  for (const part of partsOfMessage(asked)) {
    const [file] = await find({ kind: 'literal', text: part, isCaseSensitive: false });
    if (file) return ` If it is a message: "${part}" stands in ${file.repo} – ${file.path}.`;
  }
  return '';
}
