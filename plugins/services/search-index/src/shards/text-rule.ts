import { isUtf8 } from 'node:buffer';

/**
 * The text of a blob as UTF-8 without byte order mark; undefined for a binary one. The same rule as for reading files:
 * UTF-16 by its mark, else UTF-8, else Latin-1, and NUL anywhere makes it binary.
 */
export function indexedText(bytes: Buffer): Buffer | undefined {
  const encoding = utf16[bytes.toString('hex', 0, 2)];
  if (encoding !== undefined) {
    const text = new TextDecoder(encoding).decode(bytes);
    return text.includes('\0') ? undefined : Buffer.from(text);
  }
  if (bytes.includes(0)) return undefined;
  if (!isUtf8(bytes)) return Buffer.from(bytes.toString('latin1'));
  return bytes.toString('hex', 0, 3) === 'efbbbf' ? bytes.subarray(3) : bytes;
}

const utf16: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };
