import type { Node } from 'web-tree-sitter';
import type { Definition, FileSyntax, Import, Reference, Role } from '../file-symbols.ts';
import { importOf } from './import-tags.ts';
import { Nesting } from './nesting.ts';
import type { Span } from './nesting.ts';
import { Relations } from './relations.ts';
import { withoutRepeated } from './repeated.ts';
import { shortValue } from './short-text.ts';

/** A node under the name that the tag query gives it. */
export interface Tag {
  readonly name: string;
  readonly node: Node;
}

/** A name that is defined, before it is known what is around it. */
interface Found {
  readonly kind: string;
  readonly isMember: boolean;
  readonly name: Node;
  readonly whole: Node;
  /** Of what it belongs to, where that is not around it. */
  readonly container?: string | undefined;
  /** Gets a value, which defines the name where nothing before does. */
  readonly isAssigned?: boolean;
}

interface Use {
  readonly node: Node;
  role: Role;
  qualifier?: string;
  isMember: boolean;
  /** Stands where another name is defined: `{ key } = value`. */
  isKey?: boolean;
}

const definitionTag = /^(definition|member)\.(.+)$/;
const containers = new Set(['class', 'interface', 'type', 'enum', 'namespace', 'struct', 'trait', 'module']);
const uses = new Set(['use', 'call', 'type', 'of-qualifier', 'import.name', 'import.default']);
const noTags: ReadonlyMap<string, Node> = new Map();

/** Puts together what the matches of a tag query say of one file. */
export class TagCollector {
  readonly #found = new Map<number, Found>();
  readonly #uses = new Map<number, Use>();
  readonly #scopes = new Map<number, Node>();
  readonly #notUses = new Set<number>();
  readonly #imports: Import[] = [];
  readonly #imported = new Set<number>();
  readonly #notLocal = new Set<number>();
  readonly #notScopes = new Set<number>();
  readonly #relations = new Relations();

  add(captures: readonly Tag[]): void {
    const [first] = captures;
    // Nine of ten matches are this one word.
    if (first && captures.length === 1 && uses.has(first.name)) return this.#use(first.name, first.node, noTags);
    const tags = new Map(captures.map(({ name, node }) => [name, node]));
    const imported = importOf(tags);
    if (imported) this.#imports.push(imported);
    this.#relations.add(tags);
    for (const [tag, node] of tags) this.#addTag(tag, node, tags);
  }

  symbols(): FileSyntax {
    // A name taken from elsewhere is not defined here, though the syntax may be that of a variable.
    const all = [...this.#found.values()].filter(
      ({ name }) => !this.#imported.has(name.startIndex) && !this.#notLocal.has(name.startIndex),
    );
    // The keys of a literal may be those of a type: they are both.
    const keys = new Set(all.filter(({ kind }) => kind === 'key').map(({ name }) => name.startIndex));
    const relationsOf = this.#relations.of();
    const around = {
      scopes: new Nesting(
        [...this.#scopes.values()].filter(({ id }) => !this.#notScopes.has(id)).map((node) => spanOf(node, '')),
      ),
      holders: new Nesting(
        all.filter(({ kind }) => containers.has(kind)).map(({ whole, name }) => spanOf(whole, name.text)),
      ),
    };
    const definitions = all.map((found) => ({ ...definitionOf(found, around), ...relationsOf(found.name.startIndex) }));
    const assigned = all.filter(({ isAssigned }) => isAssigned);
    const holders = assigned.map(({ name, whole }): [number, number | undefined] => [
      name.startIndex,
      around.holders.around(spanOf(whole, ''))?.start,
    ]);
    const firsts = withoutRepeated(
      definitions.toSorted((a, b) => a.at - b.at),
      new Map(holders),
    );
    const defined = new Set(firsts.map(({ at }) => at).filter((at) => !keys.has(at)));
    return {
      definitions: firsts,
      references: [...this.#uses.values()]
        .map((use) => (this.#imported.has(use.node.startIndex) ? importUse(use) : use))
        .filter(({ node: { startIndex }, isKey }) => isKey || !defined.has(startIndex))
        .filter(({ node }) => !this.#notUses.has(node.startIndex))
        .filter(({ node, isMember, isKey }) => isKey || !isMember || !keys.has(node.startIndex))
        .map(referenceOf)
        .toSorted((a, b) => a.at - b.at),
      imports: this.#imports,
    };
  }

  #addTag(tag: string, node: Node, tags: ReadonlyMap<string, Node>): void {
    const [, place, kind] = definitionTag.exec(tag) ?? [];
    const name = tags.get('name');
    if (kind !== undefined && name) {
      const container = tags.get('container')?.text;
      const isMember = place === 'member';
      this.#define({ kind, isMember, name, whole: node, container, isAssigned: tags.has('assigned') });
    } else if (tag === 'parameter') this.#define({ kind: 'parameter', isMember: false, name: node, whole: node });
    else if (tag === 'local') this.#define({ kind: 'variable', isMember: false, name: node, whole: node });
    else if (tag === 'not-scope') this.#notScopes.add(node.id);
    else if (tag === 'not-local') this.#notLocal.add(node.startIndex);
    else if (tag === 'key') this.#useKey(node, tags);
    else if (tag === 'scope') this.#scopes.set(node.id, node);
    else if (tag === 'used-too') this.#useOf(node).isKey = true;
    else if (tag === 'keyword' || tag === 'import.alias') this.#notUses.add(node.startIndex);
    else this.#use(tag, node, tags);
  }

  /** Of several tags of one name that of a member wins, then any but that of a variable or some type, then the first. */
  #define(found: Found): void {
    const before = this.#found.get(found.name.startIndex);
    const isVague = before?.kind === 'variable' || before?.kind === 'type';
    const isBetter = found.isMember ? !before?.isMember : isVague && found.kind !== 'parameter';
    if (!before || isBetter) this.#found.set(found.name.startIndex, found);
  }

  #use(tag: string, node: Node, tags: ReadonlyMap<string, Node>): void {
    if (tag.startsWith('import.')) this.#imported.add(node.startIndex);
    if (!uses.has(tag)) return;
    const use = this.#useOf(node);
    if (tag === 'call' || tag === 'type') use.role = tag;
    else if (tag.startsWith('import.')) use.role = 'import';
    else if (tag === 'of-qualifier') {
      use.isMember = true;
      const qualifier = tags.get('qualifier');
      const text = qualifier && shortValue(qualifier);
      if (text !== undefined) use.qualifier = text;
    }
  }

  #useOf(node: Node): Use {
    const use = this.#uses.get(node.startIndex) ?? { node, role: 'other', isMember: false };
    this.#uses.set(node.startIndex, use);
    return use;
  }

  /** A name of a part of a value, where the value or its type is known. */
  #useKey(node: Node, tags: ReadonlyMap<string, Node>): void {
    const qualifier = this.#relations.valueOf(tags);
    if (qualifier !== undefined)
      this.#uses.set(node.startIndex, { node, role: 'other', isMember: true, isKey: true, qualifier });
  }
}

/** What is taken out of a module is no part of a value. */
const importUse = ({ node }: Use): Use => ({ node, role: 'import', isMember: false });

const spanOf = (node: Node, name: string): Span => ({ start: node.startIndex, end: node.endIndex, name });

function definitionOf(
  { kind, isMember, name, whole, container: named }: Found,
  { scopes, holders }: { scopes: Nesting; holders: Nesting },
): Definition {
  const span = spanOf(whole, '');
  // A parameter of what has no body is known to nobody else.
  const scope = isMember ? undefined : (scopes.around(span) ?? (kind === 'parameter' ? span : undefined));
  const container = named ?? holders.around(span)?.name;
  return {
    name: name.text,
    kind,
    isMember,
    line: name.startPosition.row + 1,
    column: name.startPosition.column,
    at: name.startIndex,
    startLine: whole.startPosition.row + 1,
    endLine: whole.endPosition.row + 1,
    ...(container !== undefined && { container }),
    ...(scope && { scope: [scope.start, scope.end] as const }),
  };
}

const referenceOf = ({ node, role, isMember, qualifier }: Use): Reference => ({
  name: node.text,
  role,
  isMember,
  line: node.startPosition.row + 1,
  column: node.startPosition.column,
  at: node.startIndex,
  ...(qualifier !== undefined && { qualifier }),
});
