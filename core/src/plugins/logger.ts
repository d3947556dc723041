/**
 * Structured log of one plugin or call. Fields are ids, names and durations: never tokens, query results or file
 * content (they would reach whoever reads the logs).
 */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Says nothing. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
