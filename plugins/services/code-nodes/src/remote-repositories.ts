import { isGranted, lineStartsOf, repositoryNamed } from '@sextant/contracts';
import type {
  Asking,
  BlameRequest,
  BlamedLine,
  CommitDetails,
  ComparedRevisions,
  Comparison,
  ComparisonPage,
  FoundEntry,
  HostedReader,
  HostedRepositories,
  LineTrace,
  RefFilter,
  RefList,
  Repositories,
  Repository,
  RepositoryInfo,
  TextFile,
  TraceRequest,
  TreeFolder,
  TreeListing,
} from '@sextant/contracts';
import type { CatalogueEntry, NodeMethods } from '@sextant/contracts/nodes';
import { SextantError, cut } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { AnswerOf } from '@sextant/library-node-protocol';
import { unreachable } from './hedged.ts';
import type { Nodes } from './nodes.ts';
import type { CatalogueReplica } from './replica.ts';

export interface RemoteRepositoriesOptions {
  readonly replica: CatalogueReplica;
  readonly nodes: Nodes;
  /** Decides about the repositories of code hosts. */
  readonly hosted: HostedRepositories | undefined;
}

/** The repositories of all nodes, as each caller may see them. Which there are is known here; a hidden one is asked of no node. */
export class RemoteRepositories implements Repositories {
  readonly #options: RemoteRepositoriesOptions;

  constructor(options: RemoteRepositoriesOptions) {
    this.#options = options;
  }

  async list(caller: Caller): Promise<RepositoryInfo[]> {
    return (await this.visible(caller)).map(({ info }) => info);
  }

  async open(caller: Caller, name: string, { isNamed }: Asking = { isNamed: true }): Promise<Repository> {
    const { info, absent } = await this.find(caller, name);
    // Its node then clones it next; what fails is tried again without that.
    const isAsked = isNamed && info.clone !== undefined && info.clone.state !== 'failed';
    if (!absent || isAsked) return new RemoteRepository(info, caller, this.#options.nodes);
    const { message, ...details } = absent;
    throw new SextantError('unavailable', message, details);
  }

  /** As `repositoryNamed`; `unavailable` instead while no owner has told whether it has the repository. */
  async find(caller: Caller, name: string): Promise<CatalogueEntry> {
    const { replica } = this.#options;
    const canRead = await this.#decider(caller);
    try {
      return repositoryNamed(name, {
        exact: replica.find(name),
        former: replica.findFormer(name),
        visible: () => replica.all().filter(canRead),
        canRead,
        nameOf: (entry) => entry.info.name,
        isHosted: ({ hostedKey }) => hostedKey !== undefined,
      });
    } catch (error) {
      throw replica.isKnown(name) ? error : unreachable(cut(name, 200), error);
    }
  }

  async visible(caller: Caller): Promise<CatalogueEntry[]> {
    return this.#options.replica.all().filter(await this.#decider(caller));
  }

  async #decider(caller: Caller): Promise<(entry: CatalogueEntry) => boolean> {
    const { hosted } = this.#options;
    const reader = await hosted?.readerFor(caller);
    const known = reader && hosted && new Map(hosted.all().map((each) => [each.key, each]));
    const isReadable = (key: string, by: HostedReader | undefined): boolean => {
      const repository = known?.get(key);
      return repository !== undefined && (by?.canRead(repository) ?? false);
    };
    return ({ access, hostedKey }) =>
      hostedKey === undefined ? isGranted(caller, access) : isReadable(hostedKey, reader);
  }
}

/** A repository of the nodes that own it. Each method is one call. */
class RemoteRepository implements Repository {
  readonly info: RepositoryInfo;
  readonly #caller: Caller;
  readonly #nodes: Nodes;

  constructor(info: RepositoryInfo, caller: Caller, nodes: Nodes) {
    this.info = info;
    this.#caller = caller;
    this.#nodes = nodes;
  }

  resolve(revision: string | undefined, signal: AbortSignal): Promise<string> {
    const asked = { repo: this.#repo, ...(revision !== undefined && { revision }) };
    return this.#nodes.ask('repository.resolve', asked, this.#asker(signal));
  }

  find(commit: string, path: string, signal: AbortSignal): Promise<FoundEntry> {
    return this.#nodes.ask('repository.find', { repo: this.#repo, commit, path }, this.#asker(signal));
  }

  readCommit(commit: string, signal: AbortSignal): Promise<CommitDetails> {
    return this.#nodes.ask('repository.readCommit', { repo: this.#repo, commit }, this.#asker(signal));
  }

  async readBytes(commit: string, path: string, signal: AbortSignal): Promise<Uint8Array> {
    const asked = { repo: this.#repo, commit, path };
    return (await this.#nodes.ask('repository.readBytes', asked, this.#asker(signal))).bytes;
  }

  async readText(commit: string, path: string, signal: AbortSignal): Promise<TextFile> {
    const asked = { repo: this.#repo, commit, path };
    return textIn(await this.#nodes.ask('repository.readText', asked, this.#asker(signal)));
  }

  async readTextAt(
    revision: string | undefined,
    path: string,
    signal: AbortSignal,
  ): Promise<{ commit: string; file: TextFile }> {
    const asked = { repo: this.#repo, path, ...(revision !== undefined && { revision }) };
    const { commit, ...sent } = await this.#nodes.ask('repository.readTextAt', asked, this.#asker(signal));
    return { commit, file: textIn(sent) };
  }

  listTree(folder: TreeFolder, signal: AbortSignal): Promise<TreeListing> {
    return this.#nodes.ask('repository.listTree', { repo: this.#repo, folder }, this.#asker(signal));
  }

  blame(request: BlameRequest, signal: AbortSignal): Promise<readonly BlamedLine[]> {
    return this.#nodes.ask('repository.blame', { repo: this.#repo, request }, this.#asker(signal));
  }

  trace(request: TraceRequest, signal: AbortSignal): Promise<LineTrace> {
    return this.#nodes.ask('repository.trace', { repo: this.#repo, request }, this.#asker(signal));
  }

  listRefs(filter: RefFilter, signal: AbortSignal): Promise<RefList> {
    return this.#nodes.ask('repository.listRefs', { repo: this.#repo, filter }, this.#asker(signal));
  }

  mergeBase(base: string, head: string, signal: AbortSignal): Promise<ComparedRevisions> {
    return this.#nodes.ask('repository.mergeBase', { repo: this.#repo, base, head }, this.#asker(signal));
  }

  compare(page: ComparisonPage, signal: AbortSignal): Promise<Comparison> {
    return this.#nodes.ask('repository.compare', { repo: this.#repo, page }, this.#asker(signal));
  }

  get #repo(): string {
    return this.info.name;
  }

  #asker(signal: AbortSignal): { caller: Caller; signal: AbortSignal } {
    return { caller: this.#caller, signal };
  }
}

function textIn({ size, bytes, encoding }: AnswerOf<NodeMethods['repository.readText']>): TextFile {
  const text = Buffer.from(bytes.buffer).toString();
  return { text, bytes: size, encoding, lineStarts: lineStartsOf(text) };
}
