import { hash } from 'node:crypto';
import { escapeText, html, notice } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import MarkdownIt from 'markdown-it';
import { sourceOfText } from '../file-source.ts';
import { languageOf } from '../highlight/languages.ts';
import type { ShownFile } from '../views/blob.ts';
import { prefix, resolveLink } from './links.ts';

/** Longest document that is rendered; a longer one is shown as code. */
const longest = 1 << 20;
const mostHighlighted = 50;
const waitMs = 60;

// Markup in documents stays text: nothing that stands in a repository becomes an element of its own.
const parser = new MarkdownIt({ html: false, linkify: true });
type Token = ReturnType<typeof parser.parse>[number];

/** A document as a page. Links lead to the files that they mean in the repository, and nowhere that is not a web address. */
export async function renderMarkdown(shown: ShownFile, text: string): Promise<Content> {
  if (text.length > longest) return notice('warning', 'This document is too long to be rendered; the code shows it.');
  const tokens = parser.parse(text, {});
  for (const { children } of tokens) rewriteAll(children ?? [], shown);
  nameHeadings(tokens);
  await highlightFences(tokens, shown);
  const markup = parser.renderer.render(tokens, parser.options, {});
  return html`<article class="prose" dangerouslySetInnerHTML=${{ __html: markup }}></article>`;
}

/** Points links and images to where they lead from this file. */
function rewriteAll(tokens: readonly Token[], shown: ShownFile): void {
  let depth = 0;
  for (const token of tokens) {
    if (token.type === 'link_open') depth += 1;
    if (token.type === 'link_close') depth -= 1;
    if (token.type === 'link_open') pointLink(token, shown);
    if (token.type === 'image') pointImage(token, shown, depth > 0);
  }
}

function pointLink(token: Token, shown: ShownFile): void {
  const { href, isOutside } = resolveLink(shown, String(token.attrGet('href') ?? ''), 'blob');
  token.attrSet('href', href);
  if (isOutside) token.attrSet('rel', 'noopener noreferrer nofollow');
}

/** Nothing is loaded from other hosts: an image that stands there becomes a link to it, or its text where it is one already. */
function pointImage(token: Token, shown: ShownFile, isInLink: boolean): void {
  const { href, isOutside } = resolveLink(shown, String(token.attrGet('src') ?? ''), 'raw');
  if (!isOutside) return token.attrSet('src', href);
  const text = escapeText(token.content || 'image');
  token.type = 'html_inline';
  token.content = isInLink ? text : `<a href="${escapeText(href)}" rel="noopener noreferrer nofollow">${text}</a>`;
}

/** Headings get the names that links inside documents use. */
function nameHeadings(tokens: readonly Token[]): void {
  const seen = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const words = (tokens[index + 1]?.content ?? '').toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
    const name = words.trim().replace(/\s/g, '-');
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    token.attrSet('id', `${prefix}${name}${times === 0 ? '' : `-${times}`}`);
  }
}

async function highlightFences(tokens: readonly Token[], { visit }: ShownFile): Promise<void> {
  const fences = tokens.filter(({ type }) => type === 'fence' || type === 'code_block');
  await Promise.all(
    fences.slice(0, mostHighlighted).map(async (token) => {
      const language = languageOf(token.info.trim().split(/[\s{,]/)[0] ?? '');
      const source = sourceOfText(token.content, hash('sha256', token.content), language);
      const { markup } = await visit.services.highlighter.lines(source, [0, source.lineCount], waitMs);
      token.type = 'html_block';
      token.content = `<pre tabindex="0"><code>${markup.join('\n')}</code></pre>\n`;
    }),
  );
}
