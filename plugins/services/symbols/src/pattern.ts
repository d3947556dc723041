/** A regular expression that matches a text as it stands. */
export const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
