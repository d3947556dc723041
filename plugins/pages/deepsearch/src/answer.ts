import MarkdownIt from 'markdown-it';
import { html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';

/** Images could be loaded from anywhere, and raw HTML could be anything: neither is rendered. */
const markdown = new MarkdownIt({ html: false, linkify: false }).disable(['image']);

/** An answer as it is to be read. What the text says of links to other places was checked when it was written. */
export const answer = (text: string): Content =>
  html`<div class="prose" dangerouslySetInnerHTML=${{ __html: markdown.render(text) }} />`;
