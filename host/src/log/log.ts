import { visible } from '@sextant/core';
import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import type { HostSettings } from '../server/settings.ts';
import type { Recent } from '../metrics/recent.ts';

export type { Logger } from 'pino';

/** Text that looks like a credential, anywhere in a line: a message of a library may quote one. */
const credential = /\bsxt_[0-9a-f]{8,}|\b(Bearer|token|Basic) [\w.~+/=-]{16,}/gi;
/** A field that holds one, at any depth. Looked for in the finished line: half the cost of looking in the object. */
const secretField = /"(token|password|secret|authorization|cookie|set-cookie|apiKey)":(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)/gi;
const mask = '[redacted]';

interface LogOptions {
  destination?: DestinationStream;
  /** Told each line. */
  recent?: Recent;
}

/**
 * The server's log: on standard error (JSON, or shorter lines on a terminal), so that standard output stays what was asked for. Fields that
 * hold credentials are masked by name, and what looks like one by its form.
 */
export function createLog(
  level: HostSettings['logLevel'],
  { destination = standardError(), recent }: LogOptions = {},
): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        streamWrite(line) {
          const shown = masked(line);
          recent?.takeLine(shown);
          return shown;
        },
      },
    },
    destination,
  );
}

const standardError = (): DestinationStream => {
  const stream = pino.destination({ dest: 2, sync: true });
  // A full disk: there is nowhere to tell it, and an error that nobody listens for would be logged, which fails again.
  stream.on('error', () => undefined);
  return process.stderr.isTTY ? { write: (line) => stream.write(forPeople(line)) } : stream;
};

/** Takes the place of a progress bar, which is drawn again below. */
const clearedLine = '\r\x1b[K';
const continuation = `\n${' '.repeat(15)}`;

/** `12:30:01 info  plugins started  plugins=9 ms=120` */
function forPeople(line: string): string {
  const { level, time, msg, ...fields }: Record<string, unknown> = JSON.parse(line);
  const rest = Object.entries(fields).map(
    ([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  );
  const text = `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${[msg, rest.join(' ')].join('  ').trim()}`;
  // Lines after the first of a message are indented, so that they do not look like lines of the log.
  return `${clearedLine}${visible(text).replaceAll('\n', continuation)}\n`;
}

const masked = (line: string): string => visible(line.replace(secretField, `"$1":"${mask}"`).replace(credential, mask));
