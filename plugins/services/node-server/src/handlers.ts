import { EventEmitter, on } from 'node:events';
import type {
  Fetches,
  GitStore,
  History,
  IndexStates,
  Repositories,
  Repository,
  Search,
  StoredRepository,
  Symbols,
  TextFile,
} from '@sextant/contracts';
import type { Catalogue, Cluster, NodeMethods, RepositoryResearch, SoughtSymbols } from '@sextant/contracts/nodes';
import { SextantError, joinSignals } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { Handlers, ServedCall } from '@sextant/library-node-protocol';
import type { CatalogueFeed } from './catalogue-feed.ts';
import { graphAnswer } from './graph-answer.ts';

export interface ServedParts {
  readonly catalogue: Catalogue;
  readonly cluster: Cluster;
  readonly repositories: Repositories;
  readonly store: GitStore;
  readonly search: Search;
  readonly history: History;
  readonly symbols: Symbols;
  readonly sought: SoughtSymbols;
  readonly research: RepositoryResearch;
  readonly fetches: Fetches;
  readonly states: IndexStates;
  readonly feed: CatalogueFeed;
}

/**
 * How a node answers. Whether the caller may read a repository is decided here, by the configuration of the node: each
 * method opens the repository for the caller first, or asks a service that begins with the caller.
 */
export function handlersOf(parts: ServedParts): Handlers<NodeMethods> {
  const { catalogue, cluster, repositories, store, search, history, symbols, sought, research } = parts;
  const { fetches, states, feed } = parts;

  const open = (repo: string, call: ServedCall): Promise<Repository> => repositories.open(callerOf(call), repo);

  const stored = async (repo: string, call: ServedCall): Promise<StoredRepository> => {
    await open(repo, call);
    const found = await store.find(repo);
    if (found) return found;
    throw await store.whyAbsent(repo);
  };

  /** Answers about those repositories that are here. A host may know of one before the node has it. */
  const among = async <T>(
    names: readonly string[],
    call: ServedCall,
    work: (caller: Caller, seen: string[]) => Promise<T>,
  ): Promise<{ answer: T; unseen: string[] }> => {
    const seen = names.filter((name) => catalogue.has(name));
    const unseen = names.filter((name) => !catalogue.has(name));
    return { answer: await work(cluster.scoped(callerOf(call), seen), seen), unseen };
  };

  /** As if there were no other repositories. Another node is asked where one of them is not here. */
  const together = (names: readonly string[], call: ServedCall): Caller => {
    const unseen = names.find((name) => !catalogue.has(name));
    if (unseen === undefined) return cluster.scoped(callerOf(call), names);
    throw new SextantError('unavailable', `this node has no copy of ${unseen}`, { retryAfterSeconds: 2 });
  };

  return {
    async *catalogue(_args, { caller, signal }) {
      if (caller) throw new SextantError('forbidden', 'only hosts may ask for the catalogue');
      for await (const { entries, ...change } of feed.changes(signal)) yield { ...change, entries: [...entries] };
    },

    async copies({ held }, { caller, epoch }) {
      if (caller) throw new SextantError('forbidden', 'only hosts may ask for copies to be removed');
      if (held.length > 0 && epoch !== cluster.epoch)
        throw new SextantError('conflict', `this node has the placement ${cluster.epoch}; the host has ${epoch}`);
      const removed = held.length === 0 ? 0 : await catalogue.removeLeft(held);
      return { removed, left: [...catalogue.left()] };
    },

    'repository.resolve': async ({ repo, revision }, call) => (await open(repo, call)).resolve(revision, call.signal),
    'repository.find': async ({ repo, commit, path }, call) => (await open(repo, call)).find(commit, path, call.signal),
    'repository.readCommit': async ({ repo, commit }, call) => (await open(repo, call)).readCommit(commit, call.signal),
    'repository.readBytes': async ({ repo, commit, path }, call) => ({
      bytes: new Uint8Array(await (await open(repo, call)).readBytes(commit, path, call.signal)),
    }),
    'repository.readText': async ({ repo, commit, path }, call) =>
      sentText(await (await open(repo, call)).readText(commit, path, call.signal)),
    'repository.readTextAt': async ({ repo, revision, path }, call) => {
      const { commit, file } = await (await open(repo, call)).readTextAt(revision, path, call.signal);
      return { commit, ...sentText(file) };
    },
    'repository.listTree': async ({ repo, folder }, call) => (await open(repo, call)).listTree(folder, call.signal),
    'repository.blame': async ({ repo, request }, call) => [
      ...(await (await open(repo, call)).blame(request, call.signal)),
    ],
    'repository.trace': async ({ repo, request }, call) => (await open(repo, call)).trace(request, call.signal),
    'repository.listRefs': async ({ repo, filter }, call) => (await open(repo, call)).listRefs(filter, call.signal),
    'repository.mergeBase': async ({ repo, base, head }, call) =>
      (await open(repo, call)).mergeBase(base, head, call.signal),
    'repository.compare': async ({ repo, page }, call) => (await open(repo, call)).compare(page, call.signal),

    'store.head': async ({ repo }, call) => (await (await stored(repo, call)).head(call.signal)) ?? null,
    'store.resolve': async ({ repo, revision }, call) => (await stored(repo, call)).resolve(revision, call.signal),
    'store.refs': async ({ repo }, call) =>
      (await (await stored(repo, call)).refs(call.signal)).map(({ name, commit }) => ({ name, commit })),
    async *'store.tree'({ repo, commit, wantsSizes }, call) {
      for await (const entries of (await stored(repo, call)).tree(commit, { wantsSizes, signal: call.signal }))
        yield [...entries];
    },
    async *'store.changes'({ repo, from, to }, call) {
      for await (const changes of (await stored(repo, call)).changes(from, to, { signal: call.signal }))
        yield changes.map(({ before, ...change }) => ({ ...change, before: before ?? null }));
    },
    async *'store.blobs'({ repo, ids, maxBytes, areChecked }, call) {
      const options = { maxBytes, areChecked, signal: call.signal };
      for await (const batch of (await stored(repo, call)).blobs(ids, options))
        yield { ids: [...batch.ids], sizes: [...batch.sizes], bytes: batch.bytes };
    },
    'store.sizes': async ({ repo, ids }, call) =>
      (await (await stored(repo, call)).sizes(ids, call.signal)).map((size) => size ?? null),
    'store.object': async ({ repo, id, maxBytes }, call) => {
      const found = await (await stored(repo, call)).object(id, { maxBytes, signal: call.signal });
      return found ? { size: found.size, ...(found.content && { bytes: new Uint8Array(found.content) }) } : null;
    },
    'store.graph': async ({ repo, range }, call) =>
      graphAnswer(await (await stored(repo, call)).graph(range, { signal: call.signal })),
    async *'store.patches'({ repo, range, ...options }, call) {
      const pieces = (await stored(repo, call)).patches(range, { ...options, signal: call.signal });
      for await (const bytes of pieces) yield { bytes: new Uint8Array(bytes) };
    },
    'store.mailmap': async ({ repo, people }, call) =>
      (await (await stored(repo, call)).mailmap(people, { signal: call.signal })).map(([written, mapped]) => [
        written,
        mapped,
      ]),
    'store.shallow': async ({ repo }, call) => (await stored(repo, call)).shallow(call.signal),

    'search.find': ({ repositories: names, request }, call) =>
      among(names, call, (caller) => search.find(caller, request, call.signal)),
    'history.commits': ({ repositories: names, request }, call) =>
      among(names, call, (caller, seen) => history.commits(caller, { ...request, repositories: seen }, call.signal)),
    'history.diffs': ({ repositories: names, request }, call) =>
      among(names, call, (caller, seen) => history.diffs(caller, { ...request, repositories: seen }, call.signal)),
    'history.find': ({ repositories: names, request }, call) =>
      among(names, call, (caller) => history.find(caller, request, call.signal)),
    'history.contributors': ({ repositories: names, request }, call) =>
      among(names, call, (caller) => history.contributors(caller, request, call.signal)),
    'symbols.definition': ({ request, among: names }, call) =>
      symbols.findDefinition(together(names, call), request, call.signal),
    'symbols.references': ({ request, among: names }, call) =>
      symbols.findReferences(together(names, call), request, call.signal),
    'symbols.outline': ({ request }, call) => symbols.outline(callerOf(call), request, call.signal),
    'symbols.search': ({ repositories: names, request }, call) =>
      among(names, call, (caller) => symbols.search(caller, request, call.signal)),
    'symbols.having': ({ repositories: names, sought: wanted }, call) =>
      among(names, call, (caller) => sought.repositoriesHaving(caller, wanted, call.signal)),
    async *'research.find'({ repo, request }, call) {
      const steps = new EventEmitter();
      // The work is not driven by its reader: it ends where nobody reads on.
      const reading = new AbortController();
      const signal = joinSignals(call.signal, reading.signal);
      const onStep = (step: string): void => void steps.emit('step', { step });
      // What other repositories this node has makes no difference to an answer.
      const caller = cluster.scoped(callerOf(call), [repo]);
      const finding = research.find(caller, { ...request, repo }, { signal, onStep }).finally(() => steps.emit('end'));
      // Its failure is told when all steps are.
      finding.catch(() => undefined);
      try {
        for await (const [told] of on(steps, 'step', { close: ['end'], signal })) yield told;
        yield { found: await finding };
      } finally {
        reading.abort();
      }
    },
    'fetches.queue': ({ repo, isNamed = false }, call) => fetches.queue(callerOf(call), repo, { isNamed }),
    'indexes.list': ({ repositories: names }, call) => among(names, call, (caller) => states.list(caller)),
    'indexes.refresh': async ({ repo }, call) => {
      await states.refresh(callerOf(call), repo);
      return null;
    },
  };
}

const sentText = ({ text, bytes: size, encoding }: TextFile) => ({
  size,
  encoding,
  bytes: new Uint8Array(Buffer.from(text)),
});

function callerOf({ caller }: ServedCall): Caller {
  if (caller) return caller;
  throw new SextantError('unauthenticated', 'this is answered only in the name of a caller');
}
