import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Language } from '@sextant/contracts';
import { packVersion } from '../parse/packed-symbols.ts';

/** Key of the symbols of one content: the first bytes of the blob's id and of the language's fingerprint, as Latin-1. */
export type Key = string;

const bytesOfContent = 12;
const bytesOfLanguage = 4;
const fingerprints = new WeakMap<Language, string>();

/** The first part of the key of every file with a content. */
export const contentKey = (blob: string): string =>
  Buffer.from(blob.slice(0, 2 * bytesOfContent), 'hex').toString('latin1');

export const contentOf = (key: Key): string => key.slice(0, -bytesOfLanguage);

/** The second part of the keys of all files of a language. */
export function languageKey(language: Language): string {
  const known = fingerprints.get(language) ?? fingerprintOf(language);
  fingerprints.set(language, known);
  return known;
}

export const languageOf = (key: Key): string => key.slice(-bytesOfLanguage);

/** Another query or grammar gives another key, so that older results are not used. */
export const fileKey = (language: Language, blob: string): Key => contentKey(blob) + languageKey(language);

function fingerprintOf({ name, grammar, query, repairs = [] }: Language): string {
  const { size } = statSync(fileURLToPath(grammar));
  const hash = createHash('sha256').update([packVersion, name, size, query, JSON.stringify(repairs)].join('\0'));
  return hash.digest().toString('latin1', 0, bytesOfLanguage);
}
