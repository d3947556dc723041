/** Templates that become preact nodes; what is put in is escaped. */
export { html } from 'htm/preact';

/** What turns the text beside it round (UAX #9) and controls that nothing shows; tabs and line ends are themselves. */
const acting = '(?![\\t\\r\\n])[\\p{Cc}\\u202a-\\u202e\\u2066-\\u2069]';
const anyActing = new RegExp(acting, 'u');
const tagsAndActing = new RegExp(`<[^>]*>|${acting}`, 'gu');

/**
 * Markup in whose texts such characters are seen as escapes: names, messages and code of a repository are anyone's. Attributes
 * stay: what a form sends back is what it was given.
 */
export const withVisibleTexts = (markup: string): string =>
  anyActing.test(markup)
    ? markup.replace(tagsAndActing, (part) =>
        part.startsWith('<') ? part : `\\u{${part.codePointAt(0)?.toString(16) ?? ''}}`,
      )
    : markup;
