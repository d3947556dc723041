import type { Candidate, Candidates } from '../candidates.ts';
import type { Reference } from '../file-symbols.ts';
import { folderOf } from '../paths.ts';
import { escaped } from '../pattern.ts';
import type { ImportResolver } from './imports.ts';
import { likelihoodOf } from './likelihood.ts';
import { isTopLevel } from './target.ts';
import type { SourceFile, Target } from './target.ts';

/** Files that are parsed to find a name that no import leads to. */
const maxFiles = 60;
const maxElsewhere = 20;
/** Definitions that one answer names. */
const maxTargets = 10;

const ownObjects = new Set(['this', 'self', 'cls', 'super', 'super()']);

type Step = (file: SourceFile, name: string) => Promise<Target[]> | Target[];

/** Finds what a name in a file means: the nearest place first that the rules of the language suggest. */
export class DefinitionFinder {
  readonly #candidates: Candidates;
  readonly #imports: ImportResolver;

  constructor(candidates: Candidates, imports: ImportResolver) {
    this.#candidates = candidates;
    this.#imports = imports;
  }

  /** For a file that uses the name, or (`own`) is said to define it. The likeliest first. */
  async find(file: SourceFile, name: string, from: 'use' | 'own' = 'use'): Promise<Target[]> {
    const wide: Step[] = [this.#neighbours, this.#repository, this.#elsewhere];
    const own: Step[] = [topLevelOf, membersOf];
    const near: Step[] = [this.#imported, topLevelOf, this.#qualified, ownMembers, localsOf];
    for (const step of from === 'own' ? [...own, ...near, ...wide] : [...near, ...wide]) {
      const found = await step(file, name);
      if (found.length > 0) return found.slice(0, maxTargets);
    }
    return [];
  }

  /** What surely is meant, as imports and the file itself say; empty where only the name is known. */
  async findNear(file: SourceFile, name: string): Promise<Target[]> {
    for (const step of [this.#imported, topLevelOf]) {
      const found = await step(file, name);
      if (found.length > 0) return found;
    }
    return [];
  }

  readonly #imported: Step = async (file, name) => {
    for (const imported of file.symbols.imports) {
      const isMeant = imported.local === name || (imported.kind === 'name' && imported.imported === name);
      const found = isMeant ? await this.#imports.follow(file, imported) : [];
      if (found.length > 0) return found;
    }
    return [];
  };

  /** `value.name` where it is evident what the value is. */
  readonly #qualified: Step = async (file, name) => {
    const qualifiers = new Set(usesOf(file, name).flatMap(({ qualifier }) => qualifier ?? []));
    for (const qualifier of qualifiers) {
      const found = ownObjects.has(qualifier) ? membersOf(file, name) : await this.#inside(file, qualifier, name);
      if (found.length > 0) return found;
    }
    return [];
  };

  async #inside(file: SourceFile, qualifier: string, name: string): Promise<Target[]> {
    for (const imported of file.symbols.imports.filter(({ local }) => local === qualifier)) {
      if (imported.kind === 'module') {
        const found = await this.#imports.nameOf(file, imported, name);
        if (found.length > 0) return found;
      } else {
        const found = await this.#membersOfEach(await this.#imports.follow(file, imported), name);
        if (found.length > 0) return found;
      }
    }
    return this.#membersOfEach(topLevelOf(file, qualifier), name);
  }

  async #membersOfEach(holders: readonly Target[], name: string): Promise<Target[]> {
    const found = await Promise.all(
      holders.map(async ({ snapshot, path, definition: holder }) => {
        const { definitions = [] } = (await snapshot.symbols(path)) ?? {};
        return definitions
          .filter(
            (definition) =>
              definition.name === name &&
              (holder.kind === 'module' ? isTopLevel(definition) : definition.container === holder.name),
          )
          .map((definition): Target => ({ snapshot, path, definition }));
      }),
    );
    return found.flat();
  }

  /** Files that see each other's names without an import, and those of which every name was imported. */
  readonly #neighbours: Step = async (file, name) => {
    for (const imported of file.symbols.imports.filter(({ kind }) => kind === 'all')) {
      const found = await this.#imports.nameOf(file, imported, name);
      if (found.length > 0) return found;
    }
    if (file.language.visibility !== 'folder') return [];
    const folder = folderOf(file.path);
    const place = folder === '' ? '^[^/]+$' : `^${escaped(folder)}/[^/]+$`;
    const where = { extensions: file.snapshot.languages.endsOf(file.language), file: place, limit: maxFiles };
    const { files } = await this.#candidates.inSnapshot(file.snapshot, name, where);
    return this.#ranked(file, name, files);
  };

  readonly #repository: Step = async (file, name) => {
    const where = { extensions: file.snapshot.languages.endsOf(file.language), limit: maxFiles };
    const { files } = await this.#candidates.inSnapshot(file.snapshot, name, where);
    return this.#ranked(file, name, files);
  };

  readonly #elsewhere: Step = async (file, name) => {
    const where = { extensions: file.snapshot.languages.endsOf(file.language), limit: maxElsewhere };
    const { files } = await this.#candidates.elsewhere(file.snapshot, name, where);
    return this.#ranked(file, name, files);
  };

  async #ranked(file: SourceFile, name: string, files: readonly Candidate[]): Promise<Target[]> {
    const found = await Promise.all(
      files.map(async ({ snapshot, path }) => {
        const { definitions = [] } = (await snapshot.symbols(path)) ?? {};
        return definitions
          .filter((definition) => definition.name === name && definition.scope === undefined)
          .map((definition): Target => ({ snapshot, path, definition }));
      }),
    );
    const imports = await Promise.all(file.symbols.imports.map((one) => this.#imports.filesOf(file, one)));
    const likelihood = likelihoodOf(file, usesOf(file, name), new Set(imports.flat()));
    return found
      .flat()
      .map((target) => ({ target, score: likelihood(target) }))
      .toSorted((a, b) => b.score - a.score)
      .map(({ target }) => target);
  }
}

const usesOf = ({ symbols }: SourceFile, name: string): Reference[] =>
  symbols.references.filter((reference) => reference.name === name);

const topLevelOf = ({ symbols, ...file }: SourceFile, name: string): Target[] =>
  symbols.definitions
    .filter((definition) => definition.name === name && isTopLevel(definition))
    .map((definition) => ({ ...file, definition }));

const membersOf = ({ symbols, ...file }: SourceFile, name: string): Target[] =>
  symbols.definitions
    .filter((definition) => definition.name === name && definition.isMember)
    .map((definition) => ({ ...file, definition }));

/** Its own members, unless every use stands alone and is a local name. */
const ownMembers: Step = (file, name) => {
  const uses = usesOf(file, name);
  return uses.length > 0 && uses.every(({ isMember }) => !isMember) ? [] : membersOf(file, name);
};

const localsOf: Step = (file, name) => {
  if (usesOf(file, name).some(({ isMember }) => isMember)) return [];
  const { symbols, ...rest } = file;
  return symbols.definitions
    .filter((definition) => definition.name === name)
    .map((definition) => ({ ...rest, definition }));
};
