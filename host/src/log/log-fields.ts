import type { Logger } from '@sextant/core';

/** A log that adds the fields to each of its lines. */
export const withFields = (log: Logger, fields: object): Logger => ({
  debug: (more, message) => log.debug({ ...fields, ...more }, message),
  info: (more, message) => log.info({ ...fields, ...more }, message),
  warn: (more, message) => log.warn({ ...fields, ...more }, message),
  error: (more, message) => log.error({ ...fields, ...more }, message),
});
