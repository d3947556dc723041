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

interface Askers<R, A> {
  readonly ofNode: (caller: Caller, request: R, asked: Asked) => Promise<A | undefined>;
  readonly own: (caller: Caller, request: R, signal: AbortSignal) => Promise<A>;
}

interface Asked {
  readonly among: readonly string[];
  readonly signal: AbortSignal;
}

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
    const askers: Askers<SymbolRequest, SymbolAnswer> = {
      ofNode: (...asked) => nodes.findDefinition(...asked),
      own: (...asked) => own.findDefinition(...asked),
    };
    return this.#answer(caller, request, { askers, signal });
  }

  async findReferences(
    caller: Caller,
    request: SymbolRequest & { readonly limit: number },
    signal: AbortSignal,
  ): Promise<ReferenceAnswer> {
    const { nodes, own, precise } = this.#parts;
    if (await precise?.findReferences(caller, request, signal)) return own.findReferences(caller, request, signal);
    const askers: Askers<typeof request, ReferenceAnswer> = {
      ofNode: (...asked) => nodes.findReferences(...asked),
      own: (...asked) => own.findReferences(...asked),
    };
    return this.#answer(caller, request, { askers, signal });
  }

  async search(caller: Caller, query: SymbolQuery, signal: AbortSignal): Promise<FoundSymbols> {
    const { nodes, own } = this.#parts;
    return (await nodes.search(caller, query, signal)) ?? own.search(caller, query, signal);
  }

  async outline(caller: Caller, file: OutlineRequest, signal: AbortSignal): Promise<Outline> {
    const { info } = await this.#parts.repositories.open(caller, file.repo);
    return this.#parts.nodes.outline(caller, { ...file, repo: info.name }, signal);
  }

  async #answer<R extends SymbolRequest, A extends SymbolAnswer>(
    caller: Caller,
    request: R,
    { askers, signal }: { askers: Askers<R, A>; signal: AbortSignal },
  ): Promise<Omit<A, 'sought'>> {
    signal.throwIfAborted();
    const { nodes, repositories } = this.#parts;
    const { info } = await repositories.open(caller, request.repo);
    const part = { ...request, repo: info.name, isPart: true };
    const together = new Set([info.name]);
    const known = new Set<string>();
    const notes = new Set<string>();
    for (let round = 1; ; round += 1) {
      const among = [...together];
      const { sought = [], ...answer } =
        (await askers.ofNode(caller, part, { among, signal })) ??
        (await askers.own(nodes.scoped(caller, among), part, signal));
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
