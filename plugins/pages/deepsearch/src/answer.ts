import MarkdownIt from 'markdown-it';
import { html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';

/** Images could be loaded from anywhere, and raw HTML could be anything: neither is rendered. */
const markdown = new MarkdownIt({ html: false, linkify: false }).disable(['image']);

/** Code can be wider than the page: with the keyboard it is scrolled only where it can have the focus. */
markdown.renderer.rules['fence'] = (tokens, index) =>
  `<pre tabindex="0"><code>${markdown.utils.escapeHtml(tokens[index]?.content ?? '')}</code></pre>\n`;

/** An answer for people to read. Its links to other places were checked when it was written. */
export const answer = (text: string): Content =>
  html`<div class="prose" dangerouslySetInnerHTML=${{ __html: markdown.render(text) }} />`;
