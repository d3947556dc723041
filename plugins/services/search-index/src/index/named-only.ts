import { tooLarge } from './laid-files.ts';
import type { LaidFiles } from './laid-files.ts';

/** A file that is found by its name only. */
export interface NamedOnly {
  readonly path: string;
  /** Else it is no text. */
  readonly isTooLarge: boolean;
}

/** The files of a commit whose text is in no shard. */
export function namedOnlyIn({ documents, text, odd }: LaidFiles): NamedOnly[] {
  const found: NamedOnly[] = [];
  let start = 0;
  for (const [file, document] of documents.entries()) {
    const end = text.indexOf(lineEnd, start);
    if (document < 0) {
      const path = odd.get(file) ?? decoder.decode(text.subarray(start, end));
      found.push({ path, isTooLarge: document === tooLarge });
    }
    start = end + 1;
  }
  return found;
}

const lineEnd = 10;
const decoder = new TextDecoder();
