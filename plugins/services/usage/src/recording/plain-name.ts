import { visible } from '@sextant/core';

/** Longest name in characters. */
export const maxNameLength = 200;

/**
 * A name as it is kept, from whoever it comes: without halves of characters and with controls as escapes, but for tabs and line
 * ends, which CSV and pages can show, and not too long.
 */
export const plainName = (name: string): string =>
  visible(name.slice(0, maxNameLength)).slice(0, maxNameLength).toWellFormed();
