import type {
  FoundSymbols,
  Outline,
  OutlineRequest,
  PreciseIndex,
  ReferenceAnswer,
  Repositories,
  SymbolAnswer,
  SymbolQuery,
  SymbolRequest,
  Symbols,
} from '@sextant/contracts';
import type { SymbolNodes } from '@sextant/contracts/nodes';
import type { Caller } from '@sextant/core';

/** How often an answer may find that it depends on more repositories: a package that re-exports one that re-exports one. */
const mostRounds = 4;

const notAllFollowed = `This may not be all: what other repositories lead to was followed ${mostRounds} times.`;

export interface SpreadParts {
  readonly nodes: SymbolNodes;
  /** Answers here, and reads files from the nodes one by one. */
  readonly own: Symbols;
  readonly repositories: Repositories;
  readonly precise: PreciseIndex | undefined;
}

/** Asks a node that has all of some repositories, or else this host. */
type Ask<A> = (part: { readonly repo: string; readonly isPart: true }, among: readonly string[]) => Promise<A>;

/**
 * Symbols of a host with code nodes: the node that has a repository answers about it in one call. Where that depends on
 * other repositories, the nodes are asked which of them matter. Then a node that has all of these answers, or this host.
 */
export class SpreadSymbols implements Symbols {
  readonly #parts: SpreadParts;

  constructor(parts: SpreadParts) {
    this.#parts = parts;
  }

  async findDefinition(caller: Caller, request: SymbolRequest, signal: AbortSignal): Promise<SymbolAnswer> {
    const { nodes, own, precise } = this.#parts;
    // Indexes of compilers are on hosts.
    if (await precise?.findDefinition(caller, request, signal)) return own.findDefinition(caller, request, signal);
    const ask: Ask<SymbolAnswer> = async (part, among) => {
      const found = await nodes.findDefinition(caller, { ...request, ...part }, { among, signal });
      return found ?? own.findDefinition(nodes.scoped(caller, among), { ...request, ...part }, signal);
    };
    return this.#answer(caller, request.repo, { ask, signal });
  }

  async findReferences(
    caller: Caller,
    request: SymbolRequest & { readonly limit: number },
    signal: AbortSignal,
  ): Promise<ReferenceAnswer> {
    const { nodes, own, precise } = this.#parts;
    if (await precise?.findReferences(caller, request, signal)) return own.findReferences(caller, request, signal);
    const ask: Ask<ReferenceAnswer> = async (part, among) => {
      const found = await nodes.findReferences(caller, { ...request, ...part }, { among, signal });
      return found ?? own.findReferences(nodes.scoped(caller, among), { ...request, ...part }, signal);
    };
    return this.#answer(caller, request.repo, { ask, signal });
  }

  async search(caller: Caller, query: SymbolQuery, signal: AbortSignal): Promise<FoundSymbols> {
    const { nodes, own } = this.#parts;
    return (await nodes.search(caller, query, signal)) ?? own.search(caller, query, signal);
  }

  async outline(caller: Caller, file: OutlineRequest, signal: AbortSignal): Promise<Outline> {
    const { info } = await this.#parts.repositories.open(caller, file.repo);
    return this.#parts.nodes.outline(caller, { ...file, repo: info.name }, signal);
  }

  async #answer<A extends SymbolAnswer>(
    caller: Caller,
    repo: string,
    { ask, signal }: { ask: Ask<A>; signal: AbortSignal },
  ): Promise<Omit<A, 'sought'>> {
    signal.throwIfAborted();
    const { nodes, repositories } = this.#parts;
    const { info } = await repositories.open(caller, repo);
    const together = new Set([info.name]);
    const known = new Set<string>();
    const notes = new Set<string>();
    for (let round = 1; ; round += 1) {
      const among = [...together];
      const { sought = [], ...answer } = await ask({ repo: info.name, isPart: true }, among);
      const fresh = sought.filter((one) => !known.has(JSON.stringify(one)));
      for (const one of fresh) known.add(JSON.stringify(one));
      if (fresh.length > 0 && round === mostRounds) notes.add(notAllFollowed);
      else if (fresh.length > 0) {
        const having = await nodes.repositoriesHaving(caller, fresh, { besides: together, signal });
        for (const note of having.notes) notes.add(note);
        for (const repository of having.repositories) together.add(repository);
      }
      if (together.size > among.length) continue;
      return notes.size === 0 ? answer : { ...answer, notes: [...new Set([...(answer.notes ?? []), ...notes])] };
    }
  }
}
