import { SextantError, isSextantError, oneLine } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { Links, Repositories, ResearchSource } from '@sextant/contracts';

/** Lines that a model says it read. */
export interface Claim {
  readonly repo: string;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** How a model is told to cite. */
export const citationForm = '[[repository|path|first-last]]';

const citation = /\[\[([^[\]|\n]{1,500})\|([^[\]|\n]{1,4096})\|[L#]{0,2}(\d{1,8})(?:\s*[-–]\s*L?(\d{1,8}))?\]\]/g;

/** Most different citations of one answer; the work of checking them is bounded. */
const mostCitations = 200;

/** Most lines that one citation may span. */
const longestRange = 500;

export interface CheckedText {
  readonly markdown: string;
  /** In the order of their first mention. */
  readonly sources: readonly ResearchSource[];
  /** Citations that name no lines that the caller may read. */
  readonly dropped: number;
}

/** Reads the files that claims are about, as one caller. */
export class CitationCheck {
  readonly #repositories: Repositories;
  readonly #caller: Caller;
  readonly #signal: AbortSignal;

  constructor(options: { repositories: Repositories; caller: Caller; signal: AbortSignal }) {
    this.#repositories = options.repositories;
    this.#caller = options.caller;
    this.#signal = options.signal;
  }

  /** The lines as they are there, or undefined when they are not. */
  async sourceOf(claim: Claim, revision: string | undefined): Promise<ResearchSource | undefined> {
    const { repo, path, startLine } = claim;
    try {
      const repository = await this.#repositories.open(this.#caller, repo);
      const commit = await repository.resolve(revision, this.#signal);
      const { lineStarts } = await repository.readText(commit, path, this.#signal);
      if (startLine < 1 || startLine > lineStarts.length || claim.endLine < startLine) return undefined;
      const endLine = Math.min(claim.endLine, lineStarts.length, startLine + longestRange - 1);
      return { repo, path, commit, startLine, endLine, ...(revision !== undefined && { revision }) };
    } catch (error) {
      this.#signal.throwIfAborted();
      if (isSextantError(error)) return undefined;
      throw error;
    }
  }

  /** Replaces each citation by a link to the lines, and drops those that are wrong. */
  async link(text: string, links: Links): Promise<CheckedText> {
    const bySpelling = new Map<string, ResearchSource | undefined>();
    for (const [spelling, ...parts] of text.matchAll(citation)) {
      if (bySpelling.size >= mostCitations) throw new SextantError('too_large', 'the model cited too much');
      if (!bySpelling.has(spelling)) bySpelling.set(spelling, await this.sourceOf(claimOf(parts), undefined));
    }
    const markdown = text.replace(citation, (spelling) => {
      const source = bySpelling.get(spelling);
      return source ? linkTo(source, links) : '';
    });
    const found = [...bySpelling.values()];
    const sources = found.filter((source) => source !== undefined);
    return { markdown, sources: unique(sources), dropped: found.length - sources.length };
  }
}

function claimOf([repo = '', path = '', first = '', last]: readonly (string | undefined)[]): Claim {
  const startLine = Number(first);
  return { repo: repo.trim(), path: path.trim(), startLine, endLine: last === undefined ? startLine : Number(last) };
}

/** The characters that would end a link's text or begin another are left out of it. */
const linkTo = (source: ResearchSource, links: Links): string => {
  const { repo, path, commit: revision, startLine, endLine } = source;
  const lines = startLine === endLine ? `${startLine}` : `${startLine}-${endLine}`;
  const label = oneLine(`${path.split('/').at(-1) ?? path}:${lines}`).replaceAll(/[[\]\\`<>]/g, '');
  return `[${label}](${links.file({ repo, path, revision, startLine, endLine })})`;
};

const unique = (sources: readonly ResearchSource[]): ResearchSource[] => [
  ...new Map(sources.map((source) => [JSON.stringify(source), source])).values(),
];
