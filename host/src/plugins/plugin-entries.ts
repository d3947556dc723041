import { SextantError } from '@sextant/core';
import type { Problem } from '../config/problems.ts';
import { isPlainObject } from '../config/secrets.ts';
import { quote } from '../config/validate.ts';

/** What the configuration says of one plugin below `plugins`. */
export interface PluginEntry {
  /** As it is written there: a short name, the name of a package, or a path. */
  readonly key: string;
  readonly isOff: boolean;
  /** Whether the server may run without it. */
  readonly isOptional: boolean;
  /** Its own settings, not yet checked. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Reads the `plugins` key; what cannot be an entry becomes a problem. */
export function readEntries(value: unknown): { entries: PluginEntry[]; problems: Problem[] } {
  if (value === undefined || value === null) return { entries: [], problems: [] };
  if (!isPlainObject(value))
    return {
      entries: [],
      problems: [{ path: ['plugins'], text: `expected a mapping of plugins to their settings, found ${quote(value)}` }],
    };
  const entries: PluginEntry[] = [];
  const problems: Problem[] = [];
  for (const [key, given] of Object.entries(value))
    try {
      entries.push(readEntry(key, given));
    } catch (error) {
      if (!(error instanceof SextantError)) throw error;
      problems.push({ path: ['plugins', key], text: error.message });
    }
  return { entries, problems };
}

function readEntry(key: string, given: unknown): PluginEntry {
  if (given === false) return { key, isOff: true, isOptional: true, settings: {} };
  if (given === null || given === true) return { key, isOff: false, isOptional: false, settings: {} };
  if (!isPlainObject(given))
    throw new SextantError(
      'invalid_argument',
      `expected false (off) or a mapping of the plugin's settings, found ${quote(given)}`,
    );
  const { optional = false, ...settings } = given;
  if (typeof optional !== 'boolean')
    throw new SextantError('invalid_argument', `optional: expected true or false, found ${quote(optional)}`);
  return { key, isOff: false, isOptional: optional, settings };
}
