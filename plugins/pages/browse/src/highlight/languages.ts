import { languageOfFile, namesOfLanguage } from '@sextant/contracts';
import { bundledLanguagesInfo } from 'shiki/langs';

/** Extensions, and (behind a slash) names of files, that are coloured as another language than theirs. */
const colouredAs: Readonly<Record<string, string>> = {
  svg: 'xml',
  pom: 'xml',
  csproj: 'xml',
  plist: 'xml',
  resx: 'xml',
  ipynb: 'json',
  map: 'json',
  lock: 'toml',
  cu: 'cpp',
  cuh: 'cpp',
  ino: 'cpp',
  mkd: 'markdown',
  gradle: 'groovy',
  bzl: 'python',
  star: 'python',
  '/build': 'python',
  '/build.bazel': 'python',
  '/workspace': 'python',
  '/vagrantfile': 'ruby',
  '/podfile': 'ruby',
  '/justfile': 'just',
  '/.gitmodules': 'ini',
  '/go.mod': 'go',
};

const known = new Map(
  bundledLanguagesInfo.flatMap(({ id, aliases = [] }) => [id, ...aliases].map((name) => [name, id])),
);

/** The name of the grammar for a file, or of a language as people write it in documents; undefined where there is none. */
export function languageOf(pathOrName: string): string | undefined {
  const name = pathOrName.slice(pathOrName.lastIndexOf('/') + 1).toLowerCase();
  const extension = name.slice(name.lastIndexOf('.') + 1);
  const other = [`/${name}`, extension].find((one) => Object.hasOwn(colouredAs, one));
  if (other !== undefined) return known.get(colouredAs[other] ?? '');
  const names = namesOfLanguage(languageOfFile(name) ?? '');
  return [extension, ...names].map((one) => known.get(one)).find((id) => id !== undefined);
}

const titles = new Map(bundledLanguagesInfo.map(({ id, name }) => [id, name]));

/** What people call a language. */
export const languageTitle = (language: string): string => titles.get(language) ?? language;
