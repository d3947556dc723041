import type { AttachedSnapshot } from '../snapshot/attached-snapshot.ts';
import { Bits } from './bits.ts';
import { documentsOf } from './content-search.ts';
import type { FileQuery, Job, TextLeaf } from '../pool/protocol.ts';
import { truthOf } from './truth.ts';

interface Matching {
  readonly view: AttachedSnapshot;
  readonly job: Job;
  readonly checkpoint: () => void;
}

/** Finds the files of a view for which a query is true, one leaf after the other, each only where the others leave something open. */
export class MatchingFiles {
  readonly #matching: Matching;
  readonly #truth: ReturnType<typeof truthOf>;

  constructor(matching: Matching) {
    this.#matching = matching;
    this.#truth = truthOf(matching.view, matching.job, matching.checkpoint);
  }

  /** Those of `among`. */
  *find(query: FileQuery, among: Bits): Generator<void, Bits> {
    switch (query.kind) {
      case 'all':
        return among;
      case 'none':
        return new Bits(among.size);
      case 'path':
        return this.#within(this.#truth(query), among);
      case 'text':
        return yield* this.#withText(query, among);
      case 'not':
        return among.without(yield* this.find(query.child, among));
      case 'and':
        return yield* this.#inAll(query.children, among);
      case 'or':
        return yield* this.#inAny(query.children, among);
    }
  }

  /** What a filter means is kept by its set: it stays the same where it can. */
  #within(files: Bits, among: Bits): Bits {
    return among === this.#matching.view.everyFile ? files : files.and(among);
  }

  *#inAll(children: readonly FileQuery[], among: Bits): Generator<void, Bits> {
    let left = among;
    const byCost = children.toSorted((a, b) => this.#costOf(a) - this.#costOf(b));
    for (const child of byCost) if (!left.isEmpty) left = yield* this.find(child, left);
    return left;
  }

  *#inAny(children: readonly FileQuery[], among: Bits): Generator<void, Bits> {
    let found = new Bits(among.size);
    for (const child of children) found = found.or(yield* this.find(child, among.without(found)));
    return found;
  }

  /** Paths are looked at first, then what is rare; a combination comes last. */
  #costOf(query: FileQuery): number {
    const { view, job } = this.#matching;
    if (query.kind === 'text') {
      const term = job.terms[query.term];
      return term ? view.mostBlocks(term, { onlyPaths: false }) : 0;
    }
    return query.kind === 'path' ? -1 : Infinity;
  }

  *#withText(leaf: TextLeaf, among: Bits): Generator<void, Bits> {
    const { view, job, checkpoint } = this.#matching;
    const named = this.#within(this.#truth(leaf), among);
    if (job.wantsPathsOnly) return named;
    const others = named.isEmpty ? among : among.without(named);
    const found = named.copy();
    for (const part of view.slices) {
      const documents = yield* part.inSteps((place) =>
        documentsOf({ place, terms: job.terms, checkpoint }, leaf, view.documentsOf(part, others)),
      );
      for (const document of documents.numbers())
        for (const file of view.filesOf(part, document, others)) found.add(file);
    }
    return found;
  }
}
