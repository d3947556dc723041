import type { AnswerPart, ConversationTurn, Repositories, ResearchSource } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { StoredTurn } from './conversation-store.ts';

/** Looks at conversations with the eyes of one reader: what they may not read is not there, and the text says so. */
export class ReaderView {
  readonly #repositories: Repositories;
  readonly #reader: Caller;
  readonly #known = new Map<string, Promise<boolean>>();

  constructor(repositories: Repositories, reader: Caller) {
    this.#repositories = repositories;
    this.#reader = reader;
  }

  async turn(stored: StoredTurn, isOwn: boolean): Promise<ConversationTurn> {
    const { question, status, askedAt, answeredAt, error, steps, draft, parts, model, rating } = stored;
    const seen = await this.#seen(parts);
    return {
      question,
      status,
      askedAt: new Date(askedAt).toISOString(),
      ...(status === 'completed' && { answer: seen.answer }),
      sources: seen.sources,
      withheldSources: seen.withheld,
      ...(error !== undefined && { error }),
      ...(model !== undefined && { model }),
      ...(answeredAt !== undefined && { seconds: Math.max(0, Math.round((answeredAt - askedAt) / 1000)) }),
      ...(isOwn && status === 'processing' && draft !== undefined && { draft }),
      ...(isOwn && rating !== undefined && { rating }),
      // They name what was looked at. Who could read all of it then may have lost rights since.
      steps: isOwn && seen.withheld === 0 ? steps : [],
    };
  }

  async #seen(parts: readonly AnswerPart[]): Promise<{ answer: string; sources: ResearchSource[]; withheld: number }> {
    const all = unique(parts.flatMap(({ sources }) => sources));
    const sources = await this.#readable(all);
    const shown: string[] = [];
    for (const part of parts)
      if ((await this.#readable(part.sources)).length === part.sources.length) shown.push(part.markdown);
    const withheld = all.length - sources.length;
    return { answer: [...shown, ...noteOn(withheld, parts.length - shown.length)].join('\n\n'), sources, withheld };
  }

  async #readable(sources: readonly ResearchSource[]): Promise<ResearchSource[]> {
    const flags = await Promise.all(sources.map(({ repo }) => this.#mayRead(repo)));
    return sources.filter((_source, index) => flags[index]);
  }

  #mayRead(repo: string): Promise<boolean> {
    const known = this.#known.get(repo) ?? this.#opens(repo);
    this.#known.set(repo, known);
    return known;
  }

  async #opens(repo: string): Promise<boolean> {
    try {
      await this.#repositories.open(this.#reader, repo, { isNamed: false });
      return true;
    } catch (error) {
      if (!isSextantError(error)) throw error;
      if (error.code === 'not_found') return false;
      // Its files cannot be read now, which says nothing of the reader's rights.
      return (await this.#repositories.list(this.#reader)).some(({ name }) => name === repo);
    }
  }
}

/** Names neither the repositories nor what was said about them. */
function noteOn(sources: number, parts: number): string[] {
  if (sources === 0 && parts === 0) return [];
  const count = `${sources} ${sources === 1 ? 'source' : 'sources'}`;
  return [`> ${count} of this answer, and what it says about them, are in repositories that you may not read.`];
}

const unique = (sources: readonly ResearchSource[]): ResearchSource[] => [
  ...new Map(sources.map((source) => [JSON.stringify(source), source])).values(),
];
