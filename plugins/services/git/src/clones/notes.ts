import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/** A small file beside a clone; undefined where there is none. */
export function readNote(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Removes all that is noted of a clone. */
export function removeNotes(path: string): void {
  for (const end of ['named', 'evicted', 'changed']) rmSync(`${path}.${end}`, { force: true });
}

/** What is lost of it on a full disk is known until the server ends. */
export function writeNote(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch {
    // No call fails for it.
  }
}
