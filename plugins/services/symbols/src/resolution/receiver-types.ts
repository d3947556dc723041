import type { Candidate, Candidates } from '../candidates.ts';
import type { Reference } from '../file-symbols.ts';
import { Once } from '../once.ts';
import { nearest } from './meanings.ts';
import { definedIn } from './target.ts';
import type { SourceFile, Target } from './target.ts';
import { typeKinds } from './types/own-members.ts';

/** Types of one name that are looked at. */
const maxTypes = 20;

/** `Type`, `crate::goods::Type`, `goods.Type`. */
const typePath = /^(?:\w+(?:::|\.|\\))*(\p{Lu}\w*)$/u;
/** What is written beside a name where nothing is made of the type: no list of it, nothing that holds it. */
const plainType = /^[*&\s]*(?:(?:mut|const|final)\s+)?(?:\w+(?:::|\.|\\))*([\p{L}_]\w*)$/u;

/** Tells by names alone that a use is of a member of another type: of a common name nearly all are, and following them takes long. */
export class ReceiverTypes {
  readonly #candidates: Candidates;
  /** Of one file. */
  readonly #targets: readonly Target[];
  readonly #known = new Once<boolean>();

  constructor(candidates: Candidates, targets: readonly Target[]) {
    this.#candidates = candidates;
    this.#targets = targets;
  }

  /**
   * Whether a use of a member stands behind a package, or behind what is said to be of a type that has such a member itself or that
   * neither repository defines.
   */
  isOther(file: SourceFile, use: Reference): Promise<boolean> | boolean {
    if (!this.#targets.every(isOfType)) return false;
    if (isPackage(file, use)) return true;
    const type = typeNameBefore(file, use);
    if (type === undefined || this.#targets.some(({ definition }) => definition.container === type)) return false;
    return this.#known.find([file.snapshot.repo, type, use.name], () => this.#isAnother(file, type, use.name));
  }

  /** By what the repositories of the file and of the target define. */
  async #isAnother({ snapshot, language }: SourceFile, type: string, name: string): Promise<boolean> {
    const where = { name: type, role: 'definition', language, limit: maxTypes } as const;
    const places = new Map(this.#targets.map((target) => [target.snapshot.repo, target.snapshot])).set(
      snapshot.repo,
      snapshot,
    );
    for (const place of places.values()) {
      const { files, isCut } = await this.#candidates.inSnapshot(place, '', where);
      if (isCut || !(await areOwners(files, type, name))) return false;
    }
    return true;
  }
}

/** Whether each file that defines a type has a member of the name for it. */
async function areOwners(files: readonly Candidate[], type: string, name: string): Promise<boolean> {
  const types = await definedIn(files, type, ({ scope }) => scope === undefined);
  const members = await definedIn(files, name, ({ container }) => container === type);
  const having = new Set(members.map(({ path }) => path));
  return types.every(({ path, definition: { kind } }) => typeKinds.has(kind) && having.has(path));
}

const isOfType = ({ definition: { isMember, container } }: Target): boolean => isMember && container !== undefined;

/** A package has no members of types. */
function isPackage({ language, symbols }: SourceFile, { qualifier = '', at }: Reference): boolean {
  if (language.visibility !== 'folder' || nearest(symbols.definitionsOf(qualifier), at)) return false;
  return symbols.imports.some(({ kind, local }) => kind === 'module' && local === qualifier);
}

/** The name of the type that is written before a use, or beside the variable there. */
function typeNameBefore(file: SourceFile, { qualifier = '', at }: Reference): string | undefined {
  const { symbols } = file;
  const local = nearest(symbols.definitionsOf(qualifier), at);
  const name = local ? plainType.exec(local.type ?? '')?.[1] : typePath.exec(qualifier)?.[1];
  const isOwnName = (one: string): boolean =>
    symbols.definitionsOf(one).some(({ scope }) => scope !== undefined) ||
    symbols.imports.some(({ kind, imported, local: here }) => here === one && (kind !== 'name' || imported !== one));
  return name === undefined || isOwnName(name) ? undefined : name;
}
