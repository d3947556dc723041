/** By how much the clocks of machines on one database may differ. */
const leewayMs = 5 * 60_000;

/**
 * Whether a time, in milliseconds since 1970, has yet to come. What was issued then was issued under a clock that has been
 * put back since: believed, it would be good for so much longer.
 */
export const isAhead = (time: number, now: number): boolean => time > now + leewayMs;
