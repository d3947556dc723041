import { bash } from './bash.ts';
import { cpp } from './c.ts';
import { csharp } from './csharp.ts';
import { go } from './go.ts';
import { java } from './java.ts';
import type { Language } from './language.ts';
import { php } from './php.ts';
import { python } from './python.ts';
import { ruby } from './ruby.ts';
import { rust } from './rust.ts';
import { javascript, tsx, typescript } from './typescript.ts';

/** The languages that come with this package. */
export const builtInLanguages: readonly Language[] = [
  typescript,
  tsx,
  javascript,
  python,
  go,
  java,
  cpp,
  csharp,
  rust,
  ruby,
  php,
  bash,
];

/** The language of a file by the end of its name. */
export const languageOf = (path: string): Language | undefined =>
  builtInLanguages.find(({ extensions }) => extensions.some((extension) => path.endsWith(extension)));

/** Ends of the file names of all languages that use each other's names. */
export const extensionsOf = ({ family }: Language): string[] =>
  builtInLanguages.filter((language) => language.family === family).flatMap(({ extensions }) => extensions);
