import type {
  FoundSymbols,
  Outline,
  OutlineRequest,
  ReferenceAnswer,
  Repositories,
  SoughtElsewhere,
  SymbolAnswer,
  SymbolFile,
  SymbolQuery,
  SymbolRequest,
} from '@sextant/contracts';
import type { Cluster, RepositoriesHaving, SymbolNodes } from '@sextant/contracts/nodes';
import type { Caller } from '@sextant/core';
import { Patterns } from '@sextant/library-block-index';
import { askedOfNodes } from './asked-of-nodes.ts';
import type { Nodes } from './nodes.ts';
import { lackingIn, notesOf, revisionNotes } from './parts.ts';

export interface NodeSymbolsParts {
  readonly cluster: Cluster;
  readonly repositories: Repositories;
  readonly nodes: Nodes;
}

interface Asked {
  readonly among: readonly string[];
  readonly signal: AbortSignal;
}

/** Asks the nodes for definitions and uses of names. */
export class NodeSymbols implements SymbolNodes {
  readonly #parts: NodeSymbolsParts;
  readonly #patterns = new Patterns();

  constructor(parts: NodeSymbolsParts) {
    this.#parts = parts;
  }

  findDefinition(caller: Caller, request: SymbolRequest, { among, signal }: Asked): Promise<SymbolAnswer | undefined> {
    const args = { repo: request.repo, request, among: [...among] };
    return this.#parts.nodes.askTogether('symbols.definition', args, { caller, signal });
  }

  findReferences(
    caller: Caller,
    request: SymbolRequest & { readonly limit: number },
    { among, signal }: Asked,
  ): Promise<ReferenceAnswer | undefined> {
    const args = { repo: request.repo, request, among: [...among] };
    return this.#parts.nodes.askTogether('symbols.references', args, { caller, signal });
  }

  outline(caller: Caller, file: OutlineRequest, signal: AbortSignal): Promise<Outline> {
    return this.#parts.nodes.ask('symbols.outline', { repo: file.repo, request: file }, { caller, signal });
  }

  async search(caller: Caller, asked: SymbolQuery, signal: AbortSignal): Promise<FoundSymbols | undefined> {
    const visible = await this.#parts.repositories.list(caller);
    const { reduced, request: query } = askedOfNodes(asked, visible, this.#patterns);
    if (reduced.size === 0) return undefined;
    const parts = await this.#parts.nodes.askEach('symbols.search', {
      repositories: [...reduced.keys()],
      argumentsOf: ({ repositories, isOnly }) => ({
        repositories,
        request: isOnly ? query : { ...query, notes: [], isPart: true },
      }),
      caller,
      signal,
    });
    const lacking = lackingIn(parts);
    const { answers } = parts;
    const [only, ...others] = answers;
    if (only && others.length === 0 && parts.failures.length === 0 && lacking.missing.length === 0)
      return { ...only, notes: notesOf([only]) };
    const all = answers.flatMap(({ files }) => files).toSorted(byRate);
    const { count = query.limit } = query.options;
    const files = all.slice(0, count === 'all' ? all.length : count);
    lacking.throwUnlessFound(files.length);
    return {
      files: files.map(({ rate: _rate, ...file }) => file),
      matchCount: answers.reduce((sum, { matchCount }) => sum + matchCount, 0),
      limitHit: answers.some(({ limitHit }) => limitHit) || files.length < all.length || lacking.notes.length > 0,
      notes: [
        ...new Set([...query.notes, ...notesOf(answers), ...lacking.notes, ...revisionNotes(query.query, lacking)]),
      ],
    };
  }

  async repositoriesHaving(
    caller: Caller,
    sought: readonly SoughtElsewhere[],
    { besides, signal }: { readonly besides: ReadonlySet<string>; readonly signal: AbortSignal },
  ): Promise<RepositoriesHaving> {
    const visible = await this.#parts.repositories.list(caller);
    const parts = await this.#parts.nodes.askEach('symbols.having', {
      repositories: visible.flatMap(({ name }) => (besides.has(name) ? [] : [name])),
      argumentsOf: ({ repositories }) => ({ repositories, sought: [...sought] }),
      caller,
      signal,
    });
    // The repository of the request was answered: what others lack is said, and fails nothing.
    const { notes } = lackingIn({ ...parts, answers: [undefined, ...parts.answers] });
    return {
      repositories: parts.answers.flatMap(({ repositories }) => repositories),
      notes: [...notesOf(parts.answers), ...notes],
    };
  }

  scoped(caller: Caller, repositories: readonly string[]): Caller {
    return this.#parts.cluster.scoped(caller, repositories);
  }
}

/** Equally good ones stay in the order of their nodes' repositories. */
const byRate = (a: SymbolFile, b: SymbolFile): number =>
  (b.rate ?? 0) - (a.rate ?? 0) || (a.repo < b.repo ? -1 : Number(a.repo > b.repo));
