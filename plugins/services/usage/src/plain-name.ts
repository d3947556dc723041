/** Longest name in characters. */
export const maxNameLength = 200;

/**
 * A name as it is kept, from whoever it comes: without halves of characters, controls of direction (UAX #9) and control
 * characters, but for tabs and line ends, which CSV and pages can show, and not too long.
 */
export const plainName = (name: string): string =>
  name
    .slice(0, maxNameLength)
    .toWellFormed()
    .replaceAll(/(?![\t\r\n])[\p{Cc}\p{Bidi_Control}]/gu, ' ');
