/** Longest name in characters. */
export const maxNameLength = 200;

/** A name as it is kept, from whoever it comes: without control characters and halves of characters, and not too long. */
export const plainName = (name: string): string =>
  name
    .slice(0, maxNameLength)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ');
