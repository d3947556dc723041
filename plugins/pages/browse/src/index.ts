import { hash } from 'node:crypto';
import { CodeColours } from '@sextant/contracts';
import { definePage, definePlugin } from '@sextant/core';
import { assetResponse } from '@sextant/library-ui';
import { z } from 'zod';
import { browseModule } from './assets.ts';
import { sourceOf } from './file-source.ts';
import { Highlighter } from './highlight/highlighter.ts';
import { languageOf } from './highlight/languages.ts';
import { colouredPiece, isShortEnough, needsWhole } from './highlight/piece.ts';
import { highlighting } from './highlighting.ts';
import { repositoryPage } from './page.ts';

const script = definePage({
  name: 'browse-script',
  method: 'GET',
  path: browseModule.path,
  access: 'anyone',
  needs: {},
  respond: async () => assetResponse(browseModule),
});

const config = z.object({
  highlightCharacters: z
    .int()
    .min(0)
    .default(524_288)
    .describe('Longest file that is highlighted; longer ones are plain'),
  highlightSeconds: z
    .number()
    .positive()
    .max(60)
    .default(10)
    .describe('Longest work on one file; the rest of it is plain'),
  cacheBytes: z.int().min(0).default(67_108_864).describe('Memory for what was highlighted'),
});

const coloursBy = (highlighter: Highlighter): CodeColours => ({
  async colour({ path, lines, whole }, waitMs) {
    const language = languageOf(path);
    const isOfUse = language !== undefined && whole !== undefined && needsWhole(whole.startLine);
    const file = isOfUse ? whole.read().catch(() => undefined) : Promise.resolve(undefined);
    const source = file.then((text) =>
      text && isShortEnough(text) ? sourceOf(text, hash('sha256', text.text), path) : undefined,
    );
    return colouredPiece(highlighter, { language, lines, startLine: whole?.startLine ?? 1, whole: source }, waitMs);
  },
});

export default definePlugin({
  name: 'page-browse',
  config,
  pages: [repositoryPage, script],
  provides: { highlighter: highlighting, colours: CodeColours },
  async start({ highlightCharacters, highlightSeconds, cacheBytes }) {
    const highlighter = new Highlighter({
      cacheCharacters: Math.max(1, Math.floor(cacheBytes / 2)),
      fileCharacters: highlightCharacters,
      fileMs: highlightSeconds * 1000,
      hangMs: 10_000,
    });
    return {
      highlighter: {
        value: highlighter,
        ready: async () => highlighter.warmUpLater(),
        shed: () => highlighter.forget(),
        close: () => highlighter.close(),
      },
      colours: { value: coloursBy(highlighter) },
    };
  },
});
