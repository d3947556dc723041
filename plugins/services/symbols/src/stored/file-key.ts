import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Language } from '@sextant/contracts';
import { packVersion } from './packed-symbols.ts';
import { keyBytes } from './segment.ts';
import type { Key } from './segment.ts';

const bytesOfLanguage = 4;
const fingerprints = new WeakMap<Language, string>();

/** Of what a language's parser says of a blob: another query or grammar says something else. */
export function fileKey(language: Language, blob: string): Key {
  const known = fingerprints.get(language) ?? fingerprintOf(language);
  fingerprints.set(language, known);
  const bytes = Buffer.from(blob.slice(0, 2 * (keyBytes - bytesOfLanguage)), 'hex');
  return bytes.toString('latin1') + known;
}

function fingerprintOf({ name, grammar, query }: Language): string {
  const { size } = statSync(fileURLToPath(grammar));
  const hash = createHash('sha256').update([packVersion, name, size, query].join('\0'));
  return hash.digest().toString('latin1', 0, bytesOfLanguage);
}
