import { escapeText, longestLine, plainLine } from '@sextant/library-ui';
import { answerCalls } from '@sextant/library-workers/thread';
import { createHighlighterCore } from 'shiki/core';
import type { GrammarState, HighlighterCore, ThemedToken } from 'shiki/core';
import { createOnigurumaEngine } from 'shiki/engine/oniguruma';
import { bundledLanguages } from 'shiki/langs';
import type { HighlightCalls, HighlightRequest } from './protocol.ts';
import { classOf, theme } from './theme.ts';

/** Loaded before the first call, whose time is limited. */
const highlighter = await createHighlighterCore({
  themes: [theme],
  engine: createOnigurumaEngine(import('shiki/wasm')),
});
/** The state in which the last lines of each unfinished file ended, such as in a comment or in a string. */
const states = new Map<string, GrammarState | undefined>();

async function highlight({ file, language, lines, isFirst, isLast }: HighlightRequest): Promise<string[]> {
  const core = await withLanguage(language);
  const state = isFirst ? undefined : states.get(file);
  const tokens = core.codeToTokensBase(lines.map((line) => (line.length > longestLine ? '' : line)).join('\n'), {
    lang: language,
    theme: theme.name,
    // The caller limits the time for all lines. A limit for each line would make the answer depend on the load of the
    // machine.
    tokenizeTimeLimit: 0,
    ...(state && { grammarState: state }),
  });
  if (isLast) states.delete(file);
  else states.set(file, core.getLastGrammarState(tokens));
  return lines.map((line, index) => (line.length > longestLine ? plainLine(line) : markupOf(tokens[index] ?? [])));
}

async function withLanguage(language: string): Promise<HighlighterCore> {
  const load = Object.entries(bundledLanguages).find(([name]) => name === language)?.[1];
  if (!highlighter.getLoadedLanguages().includes(language) && load) await highlighter.loadLanguage(load);
  return highlighter;
}

/** Neighbours of one class stand in one element: pages are small, and browsers fast. */
function markupOf(tokens: readonly ThemedToken[]): string {
  let markup = '';
  let open: string | undefined;
  let text = '';
  const close = (): void => {
    markup += open === undefined ? escapeText(text) : `<span class=${open}>${escapeText(text)}</span>`;
    text = '';
  };
  for (const { content, color } of tokens) {
    const name = content.trim() === '' ? open : classOf(color);
    if (name !== open) close();
    open = name;
    text += content;
  }
  close();
  return markup;
}

answerCalls<HighlightCalls>({ highlight });
