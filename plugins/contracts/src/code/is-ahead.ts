/** By how much the clocks of machines on one database may differ. */
const leewayMs = 5 * 60_000;

/**
 * Whether a time, in milliseconds since 1970, is in the future. Something issued at such a time was issued before the
 * clock was set back. Accepting it would extend its life by that difference.
 */
export const isAhead = (time: number, now: number): boolean => time > now + leewayMs;
