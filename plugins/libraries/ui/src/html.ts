/** Templates that become preact nodes; what is put in is escaped. */
export { html } from 'htm/preact';

/** As `visible` of core shows them; a library imports nothing. */
const acting = '(?!\\t|\\r?\\n)[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}]';
const anyActing = new RegExp(acting, 'u');
const tagsAndActing = new RegExp(`<[^>]*>|${acting}`, 'gu');

/**
 * Markup in whose texts such characters are seen as escapes: names, messages and code of a repository are anyone's. Attributes
 * stay: what a form sends back is what it was given.
 */
export const withVisibleTexts = (markup: string): string =>
  anyActing.test(markup)
    ? markup.replace(tagsAndActing, (part) =>
        part.startsWith('<') ? part : `\\u${part.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    : markup;
