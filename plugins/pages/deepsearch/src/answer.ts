import MarkdownIt from 'markdown-it';
import { linkedSource } from '@sextant/contracts';
import type { CodeColours, Conversation, ConversationTurn, Links } from '@sextant/contracts';
import { codeMarkup, plainLine } from '@sextant/library-ui';

/** Images could be loaded from anywhere, and raw HTML could be anything: neither is rendered. */
const markdown = new MarkdownIt({ html: false, linkify: false }).disable(['image']);

type Tokens = ReturnType<typeof markdown.parse>;

/** Markup of the lines of fenced code, by the text of the fence. */
export type Fences = ReadonlyMap<string, readonly string[]>;

/** Code can be wider than the page: with the keyboard it is scrolled only where it can have the focus. */
markdown.renderer.rules['fence'] = (...[tokens, index, , env]) => {
  const content = tokens[index]?.content ?? '';
  const { from, lines } = linesOf(content);
  const markup = (env as { fences?: Fences } | undefined)?.fences?.get(content) ?? lines.map(plainLine);
  return from === undefined
    ? `<pre tabindex="0"><code>${markup.join('\n')}</code></pre>\n`
    : `<div class="code" role="group" aria-label="Code" tabindex="0"><div class="lines">${codeMarkup({ markup, from })}</div></div>\n`;
};

/** The lines of fenced code; where each has its number of the file, the first of these apart. */
function linesOf(content: string): { from?: number; lines: string[] } {
  const lines = content.replace(/\n$/, '').split('\n');
  const numbered = lines.map((line) => /^ *(\d+):(?: (.*))?$/.exec(line));
  const from = Number(numbered[0]?.[1]);
  return numbered.every((match, index) => Number(match?.[1]) === from + index)
    ? { from, lines: numbered.map((match) => match?.[2] ?? '') }
    : { lines };
}

/** Numbers of sources by their addresses. The first source of an address has its number. */
export const numbersOf = ({ sources }: ConversationTurn, links: Links): ReadonlyMap<string, number> =>
  new Map(sources.map((source, index) => [linkedSource(source, links).url, index + 1] as const).toReversed());

/** The markup of an answer with the number of its source after each link to one. */
export function answerMarkup(text: string, numbers: ReadonlyMap<string, number>, fences: Fences = new Map()): string {
  const tokens = markdown.parse(text, {});
  for (const token of tokens) {
    let number: number | undefined;
    let href = '';
    token.children = (token.children ?? []).flatMap((child) => {
      if (child.type === 'link_open') {
        href = String(child.attrGet('href'));
        number = numbers.get(href);
      }
      return child.type === 'link_close' && number !== undefined ? [child, ...citation(number, href)] : [child];
    });
  }
  return markdown.renderer.render(tokens, markdown.options, { fences });
}

/** A script unfolds the lines of the source; without one the number leads where the link does. */
function citation(number: number, href: string): Tokens {
  const tokens = markdown.parseInline('1', {}).flatMap(({ children }) => children ?? []);
  const content = `<sup><a class="cite" href="${markdown.utils.escapeHtml(href)}" data-source="${number}" aria-label="Source ${number}">${number}</a></sup>`;
  return tokens.map((token) => Object.assign(token, { type: 'html_inline', content }));
}

/** Milliseconds that a page waits for the colours of its answers. */
const waitMs = 200;

/** Colours of the code in answers: in the language of the source that was linked last before it. */
export async function fencesOf(
  { turns }: Conversation,
  links: Links,
  colours: CodeColours | undefined,
): Promise<Fences> {
  if (!colours) return new Map();
  const found = turns.flatMap((turn) => fencesIn(turn, links));
  return new Map(
    await Promise.all(
      found.map(async ({ content, path }) => {
        return [content, await colours.markup({ path, lines: linesOf(content).lines }, waitMs)] as const;
      }),
    ),
  );
}

function fencesIn(turn: ConversationTurn, links: Links): { content: string; path: string }[] {
  const numbers = numbersOf(turn, links);
  let path = '';
  return markdown.parse(turn.answer ?? '', {}).flatMap((token) => {
    for (const child of token.children ?? []) {
      const number = child.type === 'link_open' ? numbers.get(String(child.attrGet('href'))) : undefined;
      if (number !== undefined) path = turn.sources[number - 1]?.path ?? path;
    }
    return token.type === 'fence' ? [{ content: token.content, path: token.info ? `code.${token.info}` : path }] : [];
  });
}
