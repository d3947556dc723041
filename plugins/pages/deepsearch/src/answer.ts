import MarkdownIt from 'markdown-it';
import { linkedSource } from '@sextant/contracts';
import type { CodeColours, Conversation, ConversationTurn, Links, ResearchSource } from '@sextant/contracts';
import { codeMarkup, escapeText, plainLine } from '@sextant/library-ui';
import { coloursWaitMs } from './previews.ts';

/** Images could be loaded from anywhere, and raw HTML could be anything: neither is rendered. */
const markdown = new MarkdownIt({ html: false, linkify: false }).disable(['image']);

type Tokens = ReturnType<typeof markdown.parse>;

interface Fence {
  /** Number of the first line, where lines have the numbers of their file. */
  readonly from?: number;
  /** Of each line. */
  readonly markup: readonly string[];
}

/** Coloured code of answers, by the text of its fence. */
export type Fences = ReadonlyMap<string, Fence>;

/** Code can be wider than the page: with the keyboard it is scrolled only where it can have the focus. */
const plainFence = (markup: string): string => `<pre tabindex="0"><code>${markup}</code></pre>\n`;

markdown.renderer.rules['fence'] = (tokens, index) => plainFence(escapeText(tokens[index]?.content ?? ''));

function fenceMarkup({ from, markup }: Fence): string {
  if (from === undefined) return plainFence(`${markup.join('\n')}\n`);
  const lines = codeMarkup({ markup, from });
  return `<div class="code" role="group" aria-label="Code" tabindex="0"><div class="lines">${lines}</div></div>\n`;
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
    const fence = token.type === 'fence' ? fences.get(token.content) : undefined;
    if (fence) Object.assign(token, { type: 'html_block', content: fenceMarkup(fence) });
    token.children = (token.children ?? []).flatMap((child) => {
      if (child.type === 'link_open') {
        href = String(child.attrGet('href'));
        number = numbers.get(href);
      }
      return child.type === 'link_close' && number !== undefined ? [child, ...citation(number, href)] : [child];
    });
  }
  return markdown.renderer.render(tokens, markdown.options, {});
}

/** A script unfolds the lines of the source; without one the number leads where the link does. */
function citation(number: number, href: string): Tokens {
  const tokens = markdown.parseInline('1', {}).flatMap(({ children }) => children ?? []);
  const content = `<sup><a class="cite" href="${markdown.utils.escapeHtml(href)}" data-source="${number}" aria-label="Source ${number}">${number}</a></sup>`;
  return tokens.map((token) => Object.assign(token, { type: 'html_inline', content }));
}

/** More code stays without colours. */
const mostFences = 30;
const mostLines = 200;

/** Colours of the code in answers: in the language of the source that was linked last before it. */
export async function fencesOf(
  { turns }: Conversation,
  links: Links,
  colours: CodeColours | undefined,
): Promise<Fences> {
  const found = turns.flatMap((turn) => fencesIn(turn, links)).slice(0, mostFences);
  const coloured = found.map(async ({ content, path, lines, from }) => {
    const markup = (await colours?.colour({ path, lines }, coloursWaitMs))?.markup ?? lines.map(plainLine);
    return [content, { markup, ...(from !== undefined && { from }) }] as const;
  });
  return new Map(await Promise.all(coloured));
}

function fencesIn(turn: ConversationTurn, links: Links) {
  const numbers = numbersOf(turn, links);
  let source: ResearchSource | undefined;
  return markdown.parse(turn.answer ?? '', {}).flatMap(({ type, children, content, info }) => {
    for (const child of children ?? []) {
      const number = child.type === 'link_open' ? numbers.get(String(child.attrGet('href'))) : undefined;
      if (number !== undefined) source = turn.sources[number - 1];
    }
    if (type !== 'fence' || !source) return [];
    const lines = linesOf(content, source);
    return lines.lines.length <= mostLines
      ? [{ content, path: info === '' ? source.path : `code.${info}`, ...lines }]
      : [];
  });
}

/** The lines of a fence; where each begins with its number of the source, these apart. */
function linesOf(content: string, { startLine, endLine }: ResearchSource): { lines: string[]; from?: number } {
  const lines = content.replace(/\n$/, '').split('\n');
  const numbered = lines.map((line) => /^ *(\d+):(?: (.*))?$/.exec(line));
  const from = Number(numbered[0]?.[1]);
  const areNumbers = numbered.every((match, index) => Number(match?.[1]) === from + index);
  return areNumbers && from >= startLine && from <= endLine
    ? { from, lines: numbered.map((match) => match?.[2] ?? '') }
    : { lines };
}
