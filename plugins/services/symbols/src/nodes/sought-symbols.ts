import type { SoughtElsewhere } from '@sextant/contracts';
import type { RepositoriesHaving, SoughtSymbols } from '@sextant/contracts/nodes';
import type { Caller } from '@sextant/core';
import { Candidates } from '../candidates/candidates.ts';
import type { CandidateList } from '../candidates/candidates.ts';
import { userLimits } from '../limits.ts';
import { Snapshots } from '../snapshot/snapshot.ts';
import type { SymbolSources } from '../symbol-service.ts';

const cutNote = `Only ${userLimits.elsewhere} files of other repositories were looked at: this may not be all.`;

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
    const candidates = new Candidates(this.#sources, snapshots);
    const found = await Promise.all(sought.map((one) => this.#having(candidates, one)));
    const files = found.flatMap((list) => list.files);
    const repositories = [...new Set(files.map(({ snapshot }) => snapshot.repo))].toSorted();
    const cutNotes = found.some(({ isCut }) => isCut) ? [cutNote] : [];
    return { repositories, notes: [...snapshots.notes, ...cutNotes] };
  }

  async #having(candidates: Candidates, sought: SoughtElsewhere): Promise<CandidateList> {
    const { languages } = this.#sources;
    // The repository that asks is not here.
    const asking = { repo: '', languages };
    if (sought.kind === 'manifest') return { files: await candidates.manifests(asking, sought), isCut: false };
    const language = languages.languages.find(({ name }) => name === sought.language);
    if (!language) return { files: [], isCut: false };
    return candidates.elsewhere(asking, { ...sought, language, limit: userLimits.elsewhere });
  }
}
