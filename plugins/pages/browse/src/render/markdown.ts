import { hash } from 'node:crypto';
import { html, notice } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import MarkdownIt from 'markdown-it';
import { sourceOfText } from '../file-source.ts';
import { languageOf } from '../highlight/languages.ts';
import type { ShownFile } from '../views/blob.ts';
import { prefix } from './links.ts';
import { safeHtml } from './safe-html.ts';

/** Longest document that is rendered; a longer one is shown as code. */
const longest = 1 << 20;
const mostHighlighted = 50;
const waitMs = 60;

// `safeHtml` takes out of the result whatever acts.
const parser = new MarkdownIt({ html: true, linkify: true });
type Token = ReturnType<typeof parser.parse>[number];

/** A document as a page. Links lead to the files that they mean in the repository, and nowhere that is not a web address. */
export async function renderMarkdown(shown: ShownFile, text: string): Promise<Content> {
  if (text.length > longest) return notice('warning', 'This document is too long to be rendered; the code shows it.');
  const tokens = parser.parse(text, {});
  nameHeadings(tokens);
  markTasks(tokens);
  markRemarks(tokens);
  await highlightFences(tokens, shown);
  const markup = safeHtml(parser.renderer.render(tokens, parser.options, {}), shown);
  return html`<article class="prose" dangerouslySetInnerHTML=${{ __html: markup }}></article>`;
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

/** Items of lists that begin with `[ ]` or `[x]` get a box, as code hosts show them. */
function markTasks(tokens: readonly Token[]): void {
  for (const [index, token] of tokens.entries()) {
    const [text] = token.children ?? [];
    if (tokens[index - 2]?.type === 'list_item_open' && text?.type === 'text')
      text.content = text.content.replace(/^\[([ xX])\](?=\s)/, (_, mark: string) => (mark === ' ' ? '☐' : '☑'));
  }
}

/** Quotes that begin with `[!NOTE]` and the like are remarks, as code hosts show them. */
function markRemarks(tokens: readonly Token[]): void {
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'blockquote_open') continue;
    const [text] = tokens[index + 2]?.children ?? [];
    const [, kind] = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]$/i.exec(text?.content ?? '') ?? [];
    if (text === undefined || kind === undefined) continue;
    token.attrSet('class', `remark ${kind.toLowerCase()}`);
    text.type = 'html_inline';
    text.content = `<strong>${kind.slice(0, 1).toUpperCase()}${kind.slice(1).toLowerCase()}</strong><br>`;
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
