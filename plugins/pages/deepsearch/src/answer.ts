import MarkdownIt from 'markdown-it';
import { linkedSource } from '@sextant/contracts';
import type { CodeColours, Conversation, ConversationTurn, Links, ResearchSource } from '@sextant/contracts';
import { codeMarkup, escapeText, plainLine } from '@sextant/library-ui';
import { coloursWaitMs } from './previews.ts';

/** Images could be loaded from anywhere, and raw HTML could be anything: neither is rendered. */
const markdown = new MarkdownIt({ html: false, linkify: false }).disable(['image']);

type Tokens = ReturnType<typeof markdown.parse>;

/** Neighbouring lines of a fence. */
interface Piece {
  /** Number of the first line, where lines have the numbers of their file. */
  readonly from?: number;
  readonly lines: readonly string[];
}

/** With the markup of each line. */
type ColouredPiece = Piece & { readonly markup: readonly string[] };

/** Coloured code of answers, by the text of its fence. */
export type Fences = ReadonlyMap<string, readonly ColouredPiece[]>;

/** Code can be wider than the page: with the keyboard it is scrolled only where it can have the focus. */
const plainFence = (markup: string): string => `<pre tabindex="0"><code>${markup}</code></pre>\n`;

markdown.renderer.rules['fence'] = (tokens, index) => plainFence(escapeText(tokens[index]?.content ?? ''));

const fenceMarkup = (pieces: readonly ColouredPiece[]): string =>
  pieces
    .map(({ from, markup }) => {
      if (from === undefined) return plainFence(`${markup.join('\n')}\n`);
      const lines = codeMarkup({ markup, from });
      return `<div class="code" role="group" aria-label="Code" tabindex="0"><div class="lines">${lines}</div></div>\n`;
    })
    .join('');

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
  const markupOf = async (path: string, lines: readonly string[]): Promise<readonly string[]> =>
    (await colours?.colour({ path, lines }, coloursWaitMs))?.markup ?? lines.map(plainLine);
  const coloured = found.map(async ({ content, path, pieces }) => {
    const all = pieces.map(async (piece) => ({ ...piece, markup: await markupOf(path, piece.lines) }));
    return [content, await Promise.all(all)] as const;
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
    const lines = content.replace(/\n$/, '').split('\n');
    return lines.length <= mostLines
      ? [{ content, path: info === '' ? source.path : `code.${info}`, pieces: piecesOf(lines, source) }]
      : [];
  });
}

/** A line that stands for others in an answer. */
const leftOut = '…';

/** Where each line begins with its number of the source, these apart, and a piece for each gap between them; else one piece. */
function piecesOf(lines: readonly string[], { startLine, endLine }: ResearchSource): readonly Piece[] {
  const pieces: { from: number; lines: string[] }[] = [];
  for (const line of lines) {
    if (line === leftOut) continue;
    const [, digits, text = ''] = /^ *(\d+):(?: (.*))?$/.exec(line) ?? [];
    const number = Number(digits);
    const last = pieces.at(-1);
    const next = last === undefined ? startLine : last.from + last.lines.length;
    if (digits === undefined || number < next) return [{ lines }];
    if (last && number === next) last.lines.push(text);
    else if (number > endLine) return [{ lines }];
    else pieces.push({ from: number, lines: [text] });
  }
  return pieces.length > 0 ? pieces : [{ lines }];
}
