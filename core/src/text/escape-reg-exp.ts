/** A regular expression, of JavaScript or RE2, that matches just this text. Not for use in a character class. */
export const escapeRegExp = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
