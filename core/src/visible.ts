/**
 * Characters that act on whoever shows a text instead of being seen: controls of C0 and C1 (ECMA-48), separators of lines and
 * paragraphs, and controls of direction (UAX #9). Names and messages in repositories may hold any.
 */
const acting = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const actingInLines = /(?!\t|\r?\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * A text in whose lines each such character is seen as JSON writes it (`\u001b`); tabs and line ends stay. JSON stays the same
 * JSON.
 */
export const visible = (text: string): string => text.replace(actingInLines, escape);

/** A name, or a line made of names, in which line ends and tabs are seen like that as well: it cannot begin a line of its own. */
export const oneLine = (text: string): string => text.replace(acting, escape);

/** The name that `oneLine` shows so; of a name without such escapes, itself. */
export const fromOneLine = (shown: string): string =>
  shown.replace(/\\u([0-9a-f]{4})/g, (escaped, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return oneLine(character) === escaped ? character : escaped;
  });
