import { isUtf8 } from 'node:buffer';

/** What people wrote, in UTF-8 or else in Latin-1, where every byte is a character. */
export const textOf = (bytes: Buffer): string => bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');

/** The same as UTF-8; the bytes themselves where they are UTF-8 already. */
export const utf8Of = (bytes: Buffer): Buffer => (isUtf8(bytes) ? bytes : Buffer.from(bytes.toString('latin1')));
