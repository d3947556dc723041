import { hasKeys } from '../pool/protocol.ts';
import type { ViewHandle } from '../pool/protocol.ts';
import type { FileCounts } from './file-counts.ts';
import type { NamedOnly } from './named-only.ts';

/** A view that may be in use: it is given back when nobody holds it and nobody will. */
export class HeldView {
  readonly handle: ViewHandle;
  readonly counts: FileCounts;
  /** The first object that the repository lacks, or cannot give. */
  readonly firstMissing: string | undefined;
  readonly namedOnly: readonly NamedOnly[];
  readonly #release: () => Promise<void>;
  #holders = 0;
  #isGivenBack = false;
  #retired: PromiseWithResolvers<void> | undefined;

  constructor(
    view: Pick<HeldView, 'handle' | 'counts' | 'namedOnly'> & { readonly firstMissing?: string | undefined },
    release: () => Promise<void>,
  ) {
    this.handle = view.handle;
    this.counts = view.counts;
    this.firstMissing = view.firstMissing;
    this.namedOnly = view.namedOnly;
    this.#release = release;
  }

  /** Of the memory that is its own. */
  get bytes(): number {
    const { paths, pathStarts, classes, documents, fileStarts, filesOf } = this.handle;
    const arrays = [pathStarts, classes, documents, fileStarts, filesOf];
    const ofPaths = paths.handle.bytes + (pathStarts.at(-1) ?? 0);
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, ofPaths);
  }

  /** Names of shards of which the index does not tell yet where a text may be. */
  get withoutKeys(): ReadonlySet<string> {
    return new Set(this.handle.parts.filter((part) => !hasKeys(part)).map(({ name }) => name));
  }

  /** Whether it can still be used; then it must be let go. */
  hold(): boolean {
    if (this.#retired) return false;
    this.#holders += 1;
    return true;
  }

  letGo(): void {
    this.#holders -= 1;
    this.#giveBack();
  }

  /** Resolves when it is given back. */
  retire(): Promise<void> {
    this.#retired ??= Promise.withResolvers<void>();
    this.#giveBack();
    return this.#retired.promise;
  }

  #giveBack(): void {
    if (!this.#retired || this.#holders > 0 || this.#isGivenBack) return;
    this.#isGivenBack = true;
    this.#retired.resolve(this.#release());
  }
}

/** The view that was asked for last: mostly the next search wants the same, and has it at once. */
export class LastView {
  #last: { readonly commit: string; readonly view: HeldView } | undefined;

  set(commit: string, view: HeldView): HeldView {
    this.#last = { commit, view };
    return view;
  }

  /** Holds it, where it is that of a commit and can still be used. */
  hold(commit: string): HeldView | undefined {
    return this.#last?.commit === commit && this.#last.view.hold() ? this.#last.view : undefined;
  }
}
