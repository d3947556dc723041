import { readFileSync } from 'node:fs';
import type { Language } from '@sextant/contracts';
import { expect, it } from 'vitest';
import { builtInLanguages } from './built-in-languages.ts';
import { LanguageTable } from './language-table.ts';

const language = (name: string, extensions: string[], fileNames: string[] = []): Language => ({
  name,
  family: name,
  extensions,
  fileNames,
  grammar: 'file:///none.wasm',
  query: '',
});
const typescript = language('typescript', ['.ts']);
const declarations = language('declarations', ['.d.ts']);
const make = language('make', ['.mk'], ['Makefile']);

it('a file has the language of its name, else of the longest end of it', () => {
  const table = new LanguageTable([typescript, declarations, make]);
  const found = ['src/a.ts', 'a.b.ts', 'a.d.ts', 'x/Makefile', 'x/MyMakefile', 'ts', 'v1.ts/README'].map(
    (path) => table.of(path)?.name,
  );
  expect(found).toEqual(['typescript', 'typescript', 'declarations', 'make', undefined, undefined, undefined]);
});

it('two languages of one name or of one file are refused, unless one is disabled', () => {
  const other = language('tripscript', ['.ts']);
  expect(() => new LanguageTable([typescript, typescript])).toThrow('two languages are named "typescript"');
  expect(() => new LanguageTable([typescript, other])).toThrow(
    'the languages "typescript" and "tripscript" both claim ".ts"; name one of them in `disabledLanguages`',
  );
  expect(() => new LanguageTable([make, language('just', [], ['Makefile'])])).toThrow('both claim "Makefile"');
  expect(new LanguageTable([typescript, other], ['typescript']).of('a.ts')?.name).toBe('tripscript');
});

it('a language that is disabled but not known is refused with the nearest one', () => {
  expect(() => new LanguageTable([typescript], ['typscript'])).toThrow(
    'there is no language "typscript". Did you mean "typescript"? There are typescript.',
  );
});

it('docs/languages.md explains each capture of a tag query', () => {
  const page = readFileSync(new URL('../../../../../docs/languages.md', import.meta.url), 'utf8');
  const queries = builtInLanguages.map(({ query }) => query).join('\n');
  const captures = new Set(queries.match(/@[a-z][\w.-]*/g));
  const isExplained = (capture: string): boolean =>
    /^@(definition|member)\./.test(capture) || page.includes(`\`${capture}\``);
  expect([...captures].filter((capture) => !isExplained(capture))).toEqual([]);
});
