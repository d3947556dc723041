import type { SoughtElsewhere } from '@sextant/contracts';
import type { RepositoriesHaving, SoughtSymbols } from '@sextant/contracts/nodes';
import type { Caller } from '@sextant/core';
import { Candidates } from '../candidates/candidates.ts';
import { TextCandidates } from '../candidates/text-candidates.ts';
import { userLimits } from '../limits.ts';
import { Snapshots } from '../snapshot/snapshot.ts';
import type { CommitFile } from '../snapshot/source-file.ts';
import type { SymbolSources } from '../symbol-service.ts';

/** Looks among the repositories of this process for what is sought by an answer of another one. */
export class OwnSoughtSymbols implements SoughtSymbols {
  readonly #sources: SymbolSources;

  constructor(sources: SymbolSources) {
    this.#sources = sources;
  }

  async repositoriesHaving(
    caller: Caller,
    sought: readonly SoughtElsewhere[],
    signal: AbortSignal,
  ): Promise<RepositoriesHaving> {
    const snapshots = new Snapshots(this.#sources, caller, signal);
    const candidates = new Candidates(this.#sources, new TextCandidates(this.#sources.search, snapshots), snapshots);
    const found = await Promise.all(sought.map((one) => this.#having(candidates, one)));
    const repositories = [...new Set(found.flat().map(({ snapshot }) => snapshot.repo))].toSorted();
    return { repositories, notes: snapshots.notes };
  }

  async #having(candidates: Candidates, sought: SoughtElsewhere): Promise<readonly CommitFile[]> {
    const { languages } = this.#sources;
    // The repository that asks is not here.
    const asking = { repo: '', languages };
    if (sought.kind === 'manifest') return candidates.manifests(asking, sought);
    const language = languages.languages.find(({ name }) => name === sought.language);
    if (!language) return [];
    const { files } = await candidates.elsewhere(asking, { ...sought, language, limit: userLimits.elsewhere });
    return files;
  }
}
