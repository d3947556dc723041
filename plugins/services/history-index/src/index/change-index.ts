import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { GitStore } from '@sextant/contracts';
import { messageOf } from '@sextant/core';
import type { Logger, ServiceStatus } from '@sextant/core';
import { IndexClient } from './index-client.ts';
import { RepositoryChanges } from './repository-changes.ts';
import type { MayHave } from './repository-changes.ts';

export interface ChangeIndexParts {
  readonly store: GitStore;
  readonly folder: string;
  readonly log: Logger;
}

const all: MayHave = () => true;

/** The changed lines of all repositories. It only rules commits out, so that an answer never depends on how far it is. */
export class ChangeIndex {
  readonly #parts: ChangeIndexParts;
  readonly #client = new IndexClient();
  readonly #repositories = new Map<string, RepositoryChanges>();
  readonly #waiting = new Set<string>();
  readonly #stop = new AbortController();
  #working: Promise<void> | undefined;
  /** Whether everything has been read once. */
  #isComplete = false;
  #unlisten: (() => void) | undefined;

  constructor(parts: ChangeIndexParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#unlisten = this.#parts.store.onChange((name) => this.#enqueue(name));
    for (const { name } of this.#parts.store.list()) this.#enqueue(name);
    this.#isComplete = this.#working === undefined;
  }

  /** Which commits of a repository may change a line that matches. */
  async mayHave(name: string, regex: string): Promise<MayHave> {
    const repository = this.#repositories.get(name);
    if (!repository) return all;
    try {
      return await repository.mayHave(regex);
    } catch (error) {
      this.#parts.log.warn({ repository: name, reason: messageOf(error) }, 'the index of changes was not searched');
      return all;
    }
  }

  /** Resolves when nothing waits to be indexed. */
  async settled(): Promise<void> {
    await this.#working;
  }

  status(): ServiceStatus {
    const commits = [...this.#repositories.values()].reduce((sum, each) => sum + each.commits, 0);
    const waiting = this.#waiting.size + (this.#working ? 1 : 0);
    return { isReady: this.#isComplete, detail: { indexedCommits: commits, waitingRepositories: waiting } };
  }

  async close(): Promise<void> {
    this.#unlisten?.();
    this.#waiting.clear();
    this.#stop.abort(new Error('the server stops'));
    await this.#working;
    await this.#client.close();
  }

  #enqueue(name: string): void {
    if (this.#stop.signal.aborted) return;
    this.#waiting.add(name);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      this.#isComplete = true;
    });
  }

  async #work(): Promise<void> {
    for (const name of this.#waiting) {
      this.#waiting.delete(name);
      try {
        await this.#update(name);
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        this.#parts.log.warn({ repository: name, reason: messageOf(error) }, 'changes were not indexed');
      }
    }
  }

  async #update(name: string): Promise<void> {
    const stored = this.#parts.store.find(name);
    const repository = this.#repositories.get(name) ?? this.#open(name);
    if (stored) return repository.update(stored, this.#stop.signal);
    this.#repositories.delete(name);
    repository.remove();
  }

  #open(name: string): RepositoryChanges {
    const folder = join(this.#parts.folder, hash('sha256', name, 'hex').slice(0, 32));
    const repository = new RepositoryChanges(folder, this.#client);
    this.#repositories.set(name, repository);
    return repository;
  }
}
