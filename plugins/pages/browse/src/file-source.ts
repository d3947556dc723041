import type { TextFile } from '@sextant/contracts';
import type { Source } from './highlight/highlighter.ts';
import { languageOf } from './highlight/languages.ts';

/** A text file as lines that can be highlighted. `id` is that of its blob. */
export const sourceOf = (file: TextFile, id: string, path: string): Source => ({
  id,
  language: languageOf(path),
  characters: file.text.length,
  lineCount: file.lineStarts.length,
  lines: (from, to) =>
    file.lineStarts.slice(from, to).map((start, index) => lineFrom(file, start, file.lineStarts[from + index + 1])),
});

/** A piece of code that stands in something else: a notebook, a document. */
export function sourceOfText(text: string, id: string, language: string | undefined): Source {
  const lines = text.replace(/\n$/, '').split('\n');
  return { id, language, characters: text.length, lineCount: lines.length, lines: (from, to) => lines.slice(from, to) };
}

const lineFrom = ({ text }: TextFile, start: number, next: number | undefined): string =>
  text.slice(start, next).replace(/[\r\n]+$/, '');
