import { wholeModule } from '../file-symbols.ts';
import type { SourceFile } from './target.ts';

/** Whether others import the name as that which a module has instead of one. */
export const isDefault = ({ symbols }: SourceFile, name: string): boolean =>
  name === 'default' ||
  symbols.imports.some(
    ({ module, imported, local }) => module === '' && imported === name && ['default', wholeModule].includes(local),
  );

/** The word by which those who import a file write it. */
export const moduleName = (path: string): string => {
  const [last = '', folder = ''] = path.split('/').toReversed();
  const bare = last.replace(/\..*$/, '');
  return /^(index|__init__)$/.test(bare) ? folder : bare;
};

/** Other names that files give to what they import. */
export const aliasesIn = (files: readonly SourceFile[], name: string): string[] => {
  const imports = files.flatMap(({ symbols }) => symbols.imports);
  const renamed = imports.filter(
    ({ imported, local }) => imported === name && ![name, 'default', wholeModule].includes(local),
  );
  return [...new Set(renamed.map(({ local }) => local))];
};
