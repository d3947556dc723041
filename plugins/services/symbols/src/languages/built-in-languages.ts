import type { Language } from '@sextant/contracts';
import { bash } from './bash.ts';
import { cpp } from './c.ts';
import { csharp } from './csharp.ts';
import { go } from './go.ts';
import { java } from './java.ts';
import { kotlin } from './kotlin.ts';
import { lua } from './lua.ts';
import { php } from './php.ts';
import { python } from './python.ts';
import { ruby } from './ruby.ts';
import { rust } from './rust.ts';
import { scala } from './scala.ts';
import { swift } from './swift.ts';
import { javascript, tsx, typescript } from './typescript.ts';

/** The languages that come with this package. */
export const builtInLanguages: readonly Language[] = [
  typescript,
  tsx,
  javascript,
  python,
  go,
  java,
  kotlin,
  scala,
  cpp,
  csharp,
  rust,
  ruby,
  php,
  swift,
  bash,
  lua,
];
