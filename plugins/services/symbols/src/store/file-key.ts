import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Language } from '@sextant/contracts';
import { packVersion } from '../parse/packed-symbols.ts';
import { keyBytes } from './symbol-store.ts';
import type { Key } from './symbol-store.ts';

const bytesOfLanguage = 4;
const fingerprints = new WeakMap<Language, string>();

/** What tells contents apart: the first part of the key of every file with that content. */
export const contentKey = (blob: string): string =>
  Buffer.from(blob.slice(0, 2 * (keyBytes - bytesOfLanguage)), 'hex').toString('latin1');

export const contentOf = (key: Key): string => key.slice(0, -bytesOfLanguage);

/** The second part of the keys of all files of a language. */
export function languageKey(language: Language): string {
  const known = fingerprints.get(language) ?? fingerprintOf(language);
  fingerprints.set(language, known);
  return known;
}

export const languageOf = (key: Key): string => key.slice(-bytesOfLanguage);

/** Of what a language's parser says of a blob: another query or grammar says something else. */
export const fileKey = (language: Language, blob: string): Key => contentKey(blob) + languageKey(language);

function fingerprintOf({ name, grammar, query, repairs = [] }: Language): string {
  const { size } = statSync(fileURLToPath(grammar));
  const hash = createHash('sha256').update([packVersion, name, size, query, JSON.stringify(repairs)].join('\0'));
  return hash.digest().toString('latin1', 0, bytesOfLanguage);
}
