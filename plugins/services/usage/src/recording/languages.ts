import { languageOfFile } from '@sextant/contracts';

/** The language of most of these files. Of several with as many files it is the first; `Other` for unknown ones, empty for no file. */
export function mainLanguage(files: readonly string[]): string {
  const [first] = files;
  // Most calls are about one file, and this runs beside calls.
  if (first !== undefined && files.length === 1) return languageOf(first);
  const counts = new Map<string, number>();
  for (const file of files) {
    const language = languageOf(file);
    if (language !== '') counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  let main = '';
  for (const [language, count] of counts) if (count > (counts.get(main) ?? 0)) main = language;
  return main;
}

const languageOf = (file: string): string => (file === '' ? '' : (languageOfFile(file) ?? 'Other'));
