/**
 * Characters that a terminal acts on instead of showing them: controls of C0 and C1 (ECMA-48) but for tabs and line ends,
 * and what turns the direction of text (Unicode bidirectional algorithm, UAX #9). Names and messages in repositories may hold any.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const acting = /(?!\t|\r?\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A text as a terminal may have it: such characters are written as JSON writes them, so that JSON stays the same JSON. */
export const visible = (text: string): string =>
  text.replace(acting, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
