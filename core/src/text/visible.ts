/**
 * Characters that act on the display instead of being seen: C0 and C1 controls (ECMA-48), line and paragraph separators,
 * and direction controls (UAX #9). Names and messages in repositories may contain any of them.
 */
const acting = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const actingInLines = /(?!\t|\r?\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * A text in whose lines each such character is seen as JSON writes it (`\u001b`); tabs and line ends stay. JSON stays the same
 * JSON.
 */
export const visible = (text: string): string => text.replace(actingInLines, escape);

/** A name, or a line of names, with line ends and tabs shown as escapes as well. It cannot begin a line of its own. */
export const oneLine = (text: string): string => text.replace(acting, escape);

/** The name that `oneLine` shows so; of a name without such escapes, itself. */
export const fromOneLine = (shown: string): string =>
  shown.replace(/\\u([0-9a-f]{4})/g, (escaped, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return oneLine(character) === escaped ? character : escaped;
  });
