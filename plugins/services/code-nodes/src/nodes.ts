import type { Cluster, ClusterNode, NodeMethods } from '@sextant/contracts/nodes';
import { isSextantError, joinSignals } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { MalformedAnswer, NodeRefusal } from '@sextant/library-node-protocol';
import type { AnswerOf, ArgumentsOf } from '@sextant/library-node-protocol';
import { acceptMs, hedged, unreachable } from './hedged.ts';
import type { Attempt } from './hedged.ts';
import type { NodeClients } from './node-clients.ts';
import type { CatalogueReplica } from './replica.ts';

export interface NodesOptions {
  readonly cluster: Cluster;
  readonly clients: NodeClients;
  readonly replica: CatalogueReplica;
  /** Told of each call of a node. */
  onCall?(method: string): void;
}

/** Who asks, and until when. */
export interface Asker {
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

type Name = keyof NodeMethods & string;
type AboutOne = { [K in Name]: ArgumentsOf<NodeMethods[K]> extends { repo: string } ? K : never }[Name];
type AboutSeveral = { [K in Name]: ArgumentsOf<NodeMethods[K]> extends { repositories: string[] } ? K : never }[Name];

/** What one node says of its part. */
type PartOf<K extends AboutSeveral> = AnswerOf<NodeMethods[K]>['answer'];

interface AskedOfEach<K extends AboutSeveral> extends Asker {
  readonly repositories: readonly string[];
  /** What one node is asked about its repositories. */
  argumentsOf(part: { repositories: string[]; isOnly: boolean }): ArgumentsOf<NodeMethods[K]>;
}

interface Missing {
  readonly nodes: readonly string[];
  /** Those of the nodes that answered what this host does not understand. */
  readonly misunderstood: readonly string[];
  readonly repositories: readonly string[];
}

/** What the nodes said together. */
export interface Parts<T> {
  readonly answers: readonly T[];
  /** What nodes threw about their part. */
  readonly failures: readonly { readonly repositories: readonly string[]; readonly error: Error }[];
  /** Nodes that did not answer, with the repositories of which no other copy did. */
  readonly missing: Missing;
}

/** Asks the owners of repositories. */
export class Nodes {
  readonly #options: NodesOptions;

  constructor(options: NodesOptions) {
    this.#options = options;
  }

  /** Asks about one repository. */
  async ask<K extends AboutOne>(
    method: K,
    args: ArgumentsOf<NodeMethods[K]>,
    asker: Asker,
  ): Promise<AnswerOf<NodeMethods[K]>> {
    return this.#askOneOf(this.#owners(args.repo), { method, args }, asker);
  }

  /** Asks a node that has several repositories; undefined where none that answers has all of them. */
  async askTogether<K extends AboutOne>(
    method: K,
    args: ArgumentsOf<NodeMethods[K]> & { among: string[] },
    asker: Asker,
  ): Promise<AnswerOf<NodeMethods[K]> | undefined> {
    const owners = this.#owners(args.repo);
    const having =
      args.among.length <= 1 ? owners : owners.filter((node) => args.among.every((name) => this.#canOpen(node, name)));
    if (having.length === 0) return undefined;
    try {
      return await this.#askOneOf(having, { method, args }, asker);
    } catch (error) {
      const mayBeElsewhere = args.among.length > 1 && isSextantError(error) && error.code === 'unavailable';
      if (asker.signal.aborted || !mayBeElsewhere) throw error;
      return undefined;
    }
  }

  async #askOneOf<K extends AboutOne>(
    nodes: readonly ClusterNode[],
    { method, args }: { method: K; args: ArgumentsOf<NodeMethods[K]> },
    { caller, signal }: Asker,
  ): Promise<AnswerOf<NodeMethods[K]>> {
    const { cluster, clients } = this.#options;
    const attempts = nodes.map(
      (node): Attempt<AnswerOf<NodeMethods[K]>> => ({
        run: (call) => {
          this.#options.onCall?.(method);
          return clients.of(node).call(method, args, { caller, epoch: cluster.epoch, ...call });
        },
        onFailure: (error) => clients.noteFailure(node, error),
        onAnswer: () => clients.noteAnswer(node),
      }),
    );
    try {
      return await hedged(attempts, signal);
    } catch (error) {
      if (signal.aborted || isSextantError(error)) throw error;
      throw unreachable(args.repo, error);
    }
  }

  /** Tells all that have copies of one repository. Throws where nobody could be told. */
  async tell<K extends AboutOne>(
    method: K,
    args: ArgumentsOf<NodeMethods[K]>,
    { caller, signal }: Asker,
  ): Promise<AnswerOf<NodeMethods[K]>> {
    const { cluster, clients, onCall } = this.#options;
    const told = this.#owners(args.repo).map(async (node) => {
      onCall?.(method);
      try {
        return await clients.of(node).call(method, args, { caller, epoch: cluster.epoch, signal });
      } catch (error) {
        if (error instanceof NodeRefusal) clients.noteFailure(node, error);
        throw error;
      }
    });
    const answers = await Promise.allSettled(told);
    const answer = answers.find(({ status }) => status === 'fulfilled') ?? answers[0];
    if (answer?.status === 'fulfilled') return answer.value;
    if (isSextantError(answer?.reason)) throw answer.reason;
    throw unreachable(args.repo, answer?.reason);
  }

  /** The stream of the first owner that begins it. With `anew` the next one is asked that where one is lost meanwhile. */
  async *stream<K extends AboutOne>(
    method: K,
    args: ArgumentsOf<NodeMethods[K]>,
    { caller, signal, anew }: Asker & { anew?: () => ArgumentsOf<NodeMethods[K]> },
  ): AsyncGenerator<AnswerOf<NodeMethods[K]>> {
    const { cluster, clients } = this.#options;
    let cause: unknown;
    let asked = args;
    for (const node of this.#owners(args.repo)) {
      const silent = new AbortController();
      const timer = setTimeout(() => silent.abort(), acceptMs);
      let hasBegun = false;
      this.#options.onCall?.(method);
      try {
        const options = {
          caller,
          epoch: cluster.epoch,
          signal: joinSignals(signal, silent.signal),
          onAccepted: () => clearTimeout(timer),
        };
        for await (const value of clients.of(node).stream(method, asked, options)) {
          hasBegun = !anew;
          yield value;
        }
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (isSextantError(error) && (hasBegun || error.code !== 'unavailable')) throw error;
        if (error instanceof NodeRefusal || silent.signal.aborted) clients.noteFailure(node, error);
        cause ??= error;
        if (hasBegun) break;
        if (anew) asked = anew();
      } finally {
        clearTimeout(timer);
      }
    }
    if (isSextantError(cause)) throw cause;
    throw unreachable(args.repo, cause);
  }

  /** Asks each owner about its repositories. Each repository is one node's to answer for. */
  async askEach<K extends AboutSeveral>(
    method: K,
    { repositories, argumentsOf, ...asker }: AskedOfEach<K>,
  ): Promise<Parts<PartOf<K>>> {
    const groups = this.#groups(repositories, []);
    const isOnly = groups.size === 1;
    const parts = await Promise.all(
      [...groups].map(([node, names]) =>
        this.#askGroup({ method, node, names, argumentsOf, isOnly, asker, tried: [] }),
      ),
    );
    return joined(parts);
  }

  async #askGroup<K extends AboutSeveral>(group: Group<K>): Promise<Parts<PartOf<K>>> {
    const { method, node, names, argumentsOf, isOnly, asker, tried } = group;
    const { cluster, clients } = this.#options;
    let found: Parts<PartOf<K>> = { ...noParts, missing: { ...noParts.missing, repositories: names } };
    let isMisunderstood = false;
    const first: Attempt<Parts<PartOf<K>>> = {
      run: async (call) => {
        this.#options.onCall?.(method);
        const options = { caller: asker.caller, epoch: cluster.epoch, ...call };
        const { answer, unseen } = await clients
          .of(node)
          .call(method, argumentsOf({ repositories: [...names], isOnly }), options);
        const answered = { ...noParts, answers: [answer] };
        if (unseen.length === 0) return answered;
        const rest = { ...group, isOnly: false, asker: { ...asker, signal: call.signal } };
        return joined([answered, await this.#askUntried(rest, unseen)]);
      },
      onFailure: (error) => {
        isMisunderstood = error instanceof MalformedAnswer;
        clients.noteFailure(node, error);
      },
      onAnswer: () => clients.noteAnswer(node),
    };
    const others: Attempt<Parts<PartOf<K>>> = {
      isOfSeveral: true,
      run: async ({ signal }) => {
        const answer = await this.#askUntried({ ...group, asker: { ...asker, signal } }, names);
        if (answer.missing.repositories.length === 0) return answer;
        found = answer;
        throw new NodeRefusal(node.name, 'has copies that no other node gives');
      },
      onFailure: () => undefined,
      onAnswer: () => undefined,
    };
    try {
      return await hedged(tried.length < cluster.nodes.length - 1 ? [first, others] : [first], asker.signal);
    } catch (error) {
      if (asker.signal.aborted) throw error;
      if (error instanceof Error && isSextantError(error) && found.answers.length === 0)
        return { ...noParts, failures: [{ repositories: names, error }] };
      const { nodes, misunderstood, repositories } = found.missing;
      const missing = {
        nodes: [node.name, ...nodes],
        misunderstood: isMisunderstood ? [node.name, ...misunderstood] : misunderstood,
        repositories,
      };
      return { ...found, missing };
    }
  }

  /** Asks those that have copies and were not asked yet; what none of them has is missing. */
  async #askUntried<K extends AboutSeveral>(group: Group<K>, names: readonly string[]): Promise<Parts<PartOf<K>>> {
    const tried = [...group.tried, group.node];
    const groups = this.#groups(names, tried);
    const isOnly = group.isOnly && groups.size === 1;
    const parts = await Promise.all(
      [...groups].map(([node, some]) => this.#askGroup({ ...group, node, names: some, isOnly, tried })),
    );
    const asked = new Set([...groups.values()].flat());
    const left = names.filter((name) => !asked.has(name));
    return joined([...parts, { ...noParts, missing: { ...noParts.missing, repositories: left } }]);
  }

  /** Owners of a repository, and who else has it: first those that answer and can open it. */
  #owners(repository: string): ClusterNode[] {
    const { cluster, clients } = this.#options;
    const canOpen = (node: ClusterNode): boolean => this.#canOpen(node, repository);
    const owners = cluster.ownersOf(repository);
    // Until they have their copies, those answer that had them before.
    const others = owners.every(canOpen) ? [] : cluster.nodes.filter((node) => canOpen(node) && !owners.includes(node));
    return clients.wellFirst([...owners, ...others]).toSorted((a, b) => Number(canOpen(b)) - Number(canOpen(a)));
  }

  #canOpen(node: ClusterNode, repository: string): boolean {
    const entry = this.#options.replica.at(node, repository);
    return entry !== undefined && entry.absent === undefined;
  }

  #groups(repositories: readonly string[], tried: readonly ClusterNode[]): Map<ClusterNode, string[]> {
    const groups = new Map<ClusterNode, string[]>();
    for (const repository of repositories) {
      const owner = this.#owners(repository).find((node) => !tried.includes(node));
      if (!owner) continue;
      const group = groups.get(owner);
      if (group) group.push(repository);
      else groups.set(owner, [repository]);
    }
    return groups;
  }
}

interface Group<K extends AboutSeveral> {
  readonly method: K;
  readonly node: ClusterNode;
  readonly names: readonly string[];
  readonly argumentsOf: AskedOfEach<K>['argumentsOf'];
  /** Whether the whole answer comes from this node. */
  readonly isOnly: boolean;
  readonly asker: Asker;
  readonly tried: readonly ClusterNode[];
}

const noParts = { answers: [], failures: [], missing: { nodes: [], misunderstood: [], repositories: [] } } as const;

const joined = <T>(parts: readonly Parts<T>[]): Parts<T> => ({
  answers: parts.flatMap(({ answers }) => answers),
  failures: parts.flatMap(({ failures }) => failures),
  missing: {
    nodes: [...new Set(parts.flatMap(({ missing }) => missing.nodes))],
    misunderstood: [...new Set(parts.flatMap(({ missing }) => missing.misunderstood))],
    repositories: parts.flatMap(({ missing }) => missing.repositories),
  },
});
