import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import type { HostSettings } from './settings.ts';

export type { Logger } from 'pino';

/** What looks like a credential, wherever in a line it stands: a message of a library may quote one. */
const credential = /\bsxt_[0-9a-f]{8,}|\b(Bearer|token|Basic) [\w.~+/=-]{16,}/gi;
const mask = '[redacted]';

const secretFields = ['token', 'password', 'secret', 'authorization', 'cookie', 'apiKey'];

/**
 * The server's log: on standard error (JSON, or shorter lines on a terminal), so that standard output stays what was asked for. Fields that
 * hold credentials are masked by name, and what looks like one by its form.
 */
export function createLog(level: HostSettings['logLevel'], destination: DestinationStream = standardError()): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: mask },
      hooks: { streamWrite: (line) => line.replace(credential, mask) },
    },
    destination,
  );
}

const standardError = (): DestinationStream => {
  const stream = pino.destination({ dest: 2, sync: true });
  return process.stderr.isTTY ? { write: (line) => stream.write(forPeople(line)) } : stream;
};

/** `12:30:01 info  plugins started  plugins=9 ms=120` */
function forPeople(line: string): string {
  const { level, time, msg, ...fields }: Record<string, unknown> = JSON.parse(line);
  const rest = Object.entries(fields).map(
    ([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  );
  return `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${[msg, rest.join(' ')].join('  ').trim()}\n`;
}
