import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runSextant, startSextant } from '../../support/processes.ts';
import type { Started } from '../../support/processes.ts';
import { ask } from '../support/load.ts';
import type { Answer } from './measured.ts';

/** Other indexes take hours of such a corpus, and what they prepare would be measured too; what needs them goes with them. */
const withoutOthers = [
  'service-history-index',
  'service-symbols',
  'service-scip',
  'service-lua',
  'service-researcher',
  'tool-evaluator',
  'tool-commit-search',
  'tool-diff-search',
  'tool-get-contributor-repos',
  'tool-find-references',
  'tool-go-to-definition',
  'service-conversations',
  'service-language-model',
  'tool-code-finder',
  'tool-deepsearch',
  'tool-deepsearch-read',
  'page-deepsearch',
];

/** The settings of the service over zoekt, where it is measured instead of the embedded engine. */
export interface Engine {
  readonly programs: string;
}

/** The assembled server, but for indexes that searches of text do not need; resolves once all is searchable. */
export async function serve(folder: string, data: string, engine?: Engine): Promise<Started> {
  const config = join(data, 'bench.config.json');
  const plugins = {
    ...Object.fromEntries(withoutOthers.map((name) => [name, false])),
    ...(engine && { 'service-search-index': false, 'service-search-zoekt': engine }),
  };
  await writeFile(config, JSON.stringify({ repositories: [{ path: folder }], plugins, logLevel: 'warn' }));
  const sextant = await startSextant(['--config', config, '--data', data]);
  await until(sextant, ({ status }) => status === 'ready');
  const token = sextant.token || runSextant(['token', 'create', '--user', 'admin', '--config', config, '--data', data]);
  return { ...sextant, token };
}

const restingMs = 2000;

/** Resolves once memory does not grow any more: texts are loaded after they can be searched. */
export async function atRest(megabytes: () => number): Promise<void> {
  for (let before = 0, now = megabytes(); now > before * 1.01; now = megabytes()) {
    before = now;
    await new Promise((resolve) => setTimeout(resolve, restingMs));
  }
}

/** A `tools/call` of keyword_search. */
export const bodyOf = (query: string): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'keyword_search', arguments: { query } },
});

interface Found {
  result: { structuredContent: { blocks: { chunks: { content: string }[] }[] } };
}

export async function keywordSearch({ url, token }: Started, query: string): Promise<Answer> {
  const answer = await ask({ url: `${url}/.api/mcp`, token }, bodyOf(query));
  const { blocks } = (JSON.parse(answer) as Found).result.structuredContent;
  const contents = blocks.flatMap(({ chunks }) => chunks.map(({ content }) => content));
  return { files: blocks.length, lines: contents.reduce((sum, content) => sum + content.split('\n').length, 0) };
}

interface Readiness {
  status: string;
  services: { search: { isReady: boolean } };
}

export async function until({ url }: Started, isReached: (state: Readiness) => boolean): Promise<void> {
  while (!isReached((await (await fetch(`${url}/readyz`)).json()) as Readiness))
    await new Promise((resolve) => setTimeout(resolve, 50));
}
