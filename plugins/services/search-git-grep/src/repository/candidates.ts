import { text } from 'node:stream/consumers';
import type { StoredRepository } from '@sextant/contracts';
import type { Query } from '@sextant/library-query';

/**
 * Texts of ASCII characters, within a line, of which a file must have at least one in any case to be a result by its content;
 * undefined where that cannot be said.
 */
export function requiredTexts(query: Query): string[] | undefined {
  switch (query.kind) {
    case 'literal': {
      const longest = longestPlainText(query.text);
      return longest === '' ? undefined : [longest];
    }
    case 'and': {
      const known = query.children.flatMap((child) => {
        const texts = requiredTexts(child);
        return texts ? [texts] : [];
      });
      return known.toSorted((a, b) => shortest(b) - shortest(a))[0];
    }
    case 'or': {
      const known = query.children.map(requiredTexts);
      return known.every((texts) => texts !== undefined) ? known.flat() : undefined;
    }
    default:
      return query.kind === 'none' ? [] : undefined;
  }
}

/** Other encodings than UTF-8 that text can be in have the same bytes for these. */
const longestPlainText = (text: string): string =>
  (text.match(/[\t\u{20}-\u{7e}]+/gu) ?? []).reduce((a, b) => (b.length > a.length ? b : a), '');

const shortest = (texts: readonly string[]): number => Math.min(...texts.map(({ length }) => length));

const newline = Buffer.from('\n');
/** A file in UTF-16 has its texts in other bytes: all with such a mark are candidates. */
const utf16Marks = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/** Paths of the files of a commit that have one of these texts, and perhaps of more. */
export async function grep(
  repository: StoredRepository,
  { commit, texts, signal }: { commit: string; texts: readonly string[]; signal: AbortSignal },
): Promise<Set<string>> {
  const flags = ['--no-color', '--no-textconv', '--full-name', '-l', '-z', '-a', '-F', '-i', '-f', '-'];
  // `git grep` before 2.43 refuses --end-of-options; a full hash cannot be taken for one.
  const args = ['grep', ...flags, commit, '--'];
  const patterns = [...texts.map((text) => Buffer.from(text)), ...utf16Marks];
  const input = patterns.flatMap((pattern) => [pattern, newline]);
  // 1: nothing was found.
  const names = (await text(repository.stream({ args, input, exits: [0, 1], signal }))).split('\0').slice(0, -1);
  return new Set(names.map((name) => name.slice(commit.length + 1)));
}
