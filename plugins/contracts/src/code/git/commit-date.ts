/** What a year of four digits can say, RFC 3339, section 5.6: 0000-01-01T00:00:00Z to 9999-12-31T23:59:59Z. */
const [earliest, latest] = [-62_167_219_200, 253_402_300_799];
/** Git keeps dates as 64-bit numbers: what is beyond them is a wrapped or an endless one. */
const beyondGit = 2 ** 63;

/**
 * Seconds since 1970 of a date as a commit, a tag or git writes it. A commit may contain any text as its date. A date
 * outside the years 0 to 9999 becomes the nearest that RFC 3339 can write. A text that is no number, or none that git
 * can store, becomes 0.
 */
export const secondsOf = (written: string): number => bounded(/^-?\d+$/.test(written) ? Number(written) : 0);

/** RFC 3339 in UTC, bounded like `secondsOf`: it never throws. */
export const rfc3339 = (seconds: number): string =>
  new Date(1000 * bounded(seconds)).toISOString().replace('.000Z', 'Z');

const bounded = (seconds: number): number =>
  Math.abs(seconds) < beyondGit ? Math.min(latest, Math.max(earliest, seconds)) : 0;
