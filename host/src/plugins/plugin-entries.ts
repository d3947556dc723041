import { SextantError, capabilities, didYouMean } from '@sextant/core';
import type { Capability } from '@sextant/core';
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
  readonly isolation: 'in-process' | 'process';
  /** Whether the operator trusts it like the server. */
  readonly isTrusted: boolean;
  /** Of a plugin in a process of its own: what it may do. */
  readonly allow: readonly Capability[];
  readonly memoryMegabytes: number;
  /** The keys that the host reads, as they are written. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** Its own settings, not yet checked. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** What the configuration need not say of a plugin. One of the preset runs in the server's process in any case. */
export const entryDefaults = {
  isOff: false,
  isOptional: false,
  isolation: 'process',
  isTrusted: false,
  allow: [],
  memoryMegabytes: 512,
  flags: {},
  settings: {},
} as const;

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
  if (given === false) return { ...entryDefaults, key, isOff: true, isOptional: true };
  if (given === null || given === true) return { ...entryDefaults, key };
  if (!isPlainObject(given))
    throw new SextantError(
      'invalid_argument',
      `expected false (off) or a mapping of the plugin's settings, found ${quote(given)}`,
    );
  const { optional, trusted, isolation, allow, memoryMegabytes, ...settings } = given;
  const flags = defined({ optional, trusted, isolation, allow, memoryMegabytes });
  for (const [name, value] of Object.entries(flags))
    if (!hostKeys[name]?.isGood(value))
      throw new SextantError(
        'invalid_argument',
        `${name}: expected ${hostKeys[name]?.wanted}, found ${wrongIn(value)}`,
      );
  return {
    ...entryDefaults,
    key,
    isOptional: optional === true,
    isolation: isolationOf(isolation, trusted === true),
    isTrusted: trusted === true,
    allow: capabilities.filter((name) => Array.isArray(allow) && allow.includes(name)),
    memoryMegabytes: typeof memoryMegabytes === 'number' ? memoryMegabytes : entryDefaults.memoryMegabytes,
    flags,
    settings,
  };
}

/** What the operator does not trust like the server runs in a process of its own, unless they say otherwise. */
function isolationOf(said: unknown, isTrusted: boolean): PluginEntry['isolation'] {
  if (said === 'process' || said === 'in-process') return said;
  return isTrusted ? 'in-process' : 'process';
}

/** Of a list of capabilities, what is none. */
function wrongIn(value: unknown): string {
  const wrong: unknown = Array.isArray(value) ? value.find((item) => !isCapability(item)) : undefined;
  return wrong === undefined ? quote(value) : `${quote(wrong)}.${didYouMean(String(wrong), capabilities)}`;
}

const isCapability = (value: unknown): boolean => capabilities.some((name) => name === value);

const isBoolean = (value: unknown): boolean => typeof value === 'boolean';

/** The keys of a plugin that the host reads itself. */
const hostKeys: Readonly<Record<string, { isGood(value: unknown): boolean; wanted: string }>> = {
  optional: { isGood: isBoolean, wanted: 'true or false' },
  trusted: { isGood: isBoolean, wanted: 'true or false' },
  isolation: {
    isGood: (value) => value === 'process' || value === 'in-process',
    wanted: '"in-process" or "process"',
  },
  allow: {
    isGood: (value) => Array.isArray(value) && value.every(isCapability),
    wanted: `a list of ${capabilities.join(', ')}`,
  },
  memoryMegabytes: {
    isGood: (value) => Number.isInteger(value) && Number(value) >= 128 && Number(value) <= 65_536,
    wanted: 'a whole number from 128 to 65536',
  },
};

const defined = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
