import type { Node } from 'web-tree-sitter';
import { containerKinds } from '@sextant/contracts/definition-kinds';
import { wholeModule } from './file-symbols.ts';
import type { Definition, FileSyntax, Import, Reference } from './file-symbols.ts';
import { Nesting } from './nesting.ts';
import type { Span } from './nesting.ts';
import { Narrowing, Relations } from './relations.ts';
import { shortValue } from './short-text.ts';

/** A node under the name that the tag query gives it. */
interface Tag {
  readonly name: string;
  readonly node: Node;
}

/** A name that is defined, before it is known what is around it. */
interface Found {
  readonly kind: string;
  readonly isMember: boolean;
  readonly name: Node;
  readonly whole: Node;
  /** The name of its container, if that does not stand around it. */
  readonly container?: string | undefined;
  /** Assigned to. This defines the name unless something before it does. */
  readonly isAssigned?: boolean;
}

/** The spans of scopes, and of types and namespaces. */
interface Surroundings {
  readonly scopes: Nesting;
  readonly holders: Nesting;
}

type Use = { -readonly [key in keyof Reference]: Reference[key] };

/** Names between two looks at the time. */
const namesAtOnce = 100;

const definitionTag = /^(definition|member)\.(.+)$/;
const kinds = new Map<string, Pick<Found, 'kind' | 'isMember'> | undefined>();
const uses = new Set(['use', 'call', 'type', 'of-qualifier', 'import.name', 'import.default']);
/** Keywords in texts of macros. */
const wordsOfStatements = new Set(
  'if else for while do return switch case break continue goto sizeof struct union enum const static inline extern void char short int long float double signed unsigned bool auto true false NULL defined'.split(
    ' ',
  ),
);
const noTags: ReadonlyMap<string, Node> = new Map();

/** Collects the matches of a tag query of one file, and makes definitions, uses and imports of them. */
export class TagCollector {
  readonly #found = new Map<number, Found>();
  readonly #uses = new Map<number, Use>();
  /** Uses that stand where another name is defined: `{ key } = value`. */
  readonly #keyUses = new Set<number>();
  readonly #scopes = new Map<number, Node>();
  readonly #notUses = new Set<number>();
  readonly #imports: Import[] = [];
  readonly #imported = new Set<number>();
  /** Names that the file exports as they are. */
  readonly #passedOn = new Set<string>();
  readonly #notLocal = new Set<number>();
  /** Offsets of definitions that all of the file sees, whatever is around them. */
  readonly #global = new Set<number>();
  /** Offsets of private definitions. */
  readonly #private = new Set<number>();
  readonly #notScopes = new Set<number>();
  /** By offset, the bodies of types that name their own members without a qualifier, outside of functions. */
  readonly #classBodies = new Map<number, Node>();
  readonly #relations = new Relations();
  readonly #narrowing = new Narrowing();

  add(captures: readonly Tag[]): void {
    const [first] = captures;
    // Most matches are one word that is used.
    if (first && captures.length === 1 && uses.has(first.name)) return this.#use(first.name, first.node, noTags);
    const tags = new Map<string, Node>();
    for (const { name, node } of captures) tags.set(name, node);
    const imported = importOf(tags);
    if (imported) this.#imports.push(imported);
    this.#relations.add(tags);
    this.#narrowing.add(tags);
    for (const [tag, node] of tags) this.#addTag(tag, node, tags);
  }

  /** Undefined if time runs out. In hostile files it may take long to look up what is around each name. */
  symbols(isLate: () => boolean): FileSyntax | undefined {
    // A name taken from elsewhere is not defined here, though the syntax may be that of a variable.
    const all = [...this.#found.values()].filter(
      ({ name }) => !this.#imported.has(name.startIndex) && !this.#notLocal.has(name.startIndex),
    );
    // A key of a literal defines a name, and may use the key of a type.
    const keys = new Set(all.filter(({ kind }) => kind === 'key').map(({ name }) => name.startIndex));
    const relationsOf = this.#relations.of();
    const around = {
      scopes: new Nesting(
        [...this.#scopes.values()].filter(({ id }) => !this.#notScopes.has(id)).map((node) => spanOf(node, '')),
      ),
      holders: new Nesting(
        all.filter(({ kind }) => containerKinds.has(kind)).map(({ whole, name }) => spanOf(whole, bareName(name.text))),
      ),
    };
    const definitions: Definition[] = [];
    for (const [index, found] of all.entries()) {
      if (index % namesAtOnce === 0 && isLate()) return undefined;
      const { startIndex } = found.name;
      const isPrivate = !found.isMember && this.#private.has(found.whole.startIndex) && ({ isPrivate: true } as const);
      const { scope, ...rest } = definitionOf(found, around);
      const isScoped = scope && !(found.kind === 'function' && this.#global.has(found.whole.startIndex));
      definitions.push({ ...rest, ...(isScoped && { scope }), ...isPrivate, ...relationsOf(startIndex) });
    }
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
    const references = this.#references({ defined, keys }, isLate);
    if (!references) return undefined;
    const placed = this.#classBodies.size > 0 ? this.#behindTypes(references, firsts, around) : references;
    return { definitions: firsts, references: placed, imports: this.#importsOf() };
  }

  /** Uses, without places that define a name and keys of literals that look like members. */
  #references(
    { defined, keys }: Readonly<Record<'defined' | 'keys', ReadonlySet<number>>>,
    isLate: () => boolean,
  ): Reference[] | undefined {
    const references: Reference[] = [];
    for (const [index, found] of [...this.#uses.values()].entries()) {
      if (index % namesAtOnce === 0 && isLate()) return undefined;
      const { at } = found;
      const isImported = this.#imported.has(at);
      const use = isImported ? importUse(found) : found;
      const isKey = !isImported && this.#keyUses.has(at);
      const isHidden = !isKey && (defined.has(at) || (use.isMember && keys.has(at)));
      if (!isHidden && !this.#notUses.has(at)) references.push(this.#narrowing.applied(use));
    }
    return references.sort((a, b) => a.at - b.at);
  }

  /** In the body of a type, uses of its own members without a qualifier get the type as their qualifier. */
  #behindTypes(
    references: readonly Reference[],
    definitions: readonly Definition[],
    { scopes, holders }: Surroundings,
  ): Reference[] {
    const bodies = new Nesting([...this.#classBodies.values()].map((node) => spanOf(node, '')));
    const members = Map.groupBy(
      definitions.filter(({ isMember }) => isMember),
      ({ name }) => name,
    );
    return references.map((use) => {
      const own = use.isMember || use.role === 'import' ? undefined : members.get(use.name);
      if (!own) return use;
      const span = { start: use.at, end: use.at + use.name.length, name: '' };
      const [body, holder, scope] = [bodies, holders, scopes].map((spans) => spans.around(span));
      if (!body || !holder || (scope && scope.start >= body.start)) return use;
      const isOwn = own.some(({ container, at }) => container === holder.name && body.start <= at && at < body.end);
      return isOwn ? { ...use, isMember: true, qualifier: holder.name } : use;
    });
  }

  #importsOf(): Import[] {
    return this.#imports.map(({ isOwn, ...one }) =>
      isOwn && !this.#passedOn.has(one.local) ? { ...one, isOwn } : one,
    );
  }

  #addTag(tag: string, node: Node, tags: ReadonlyMap<string, Node>): void {
    const defined = definedBy(tag);
    const name = defined && tags.get('name');
    if (defined && name) {
      const container = tags.get('container')?.text;
      this.#define({ ...defined, name, whole: node, container, isAssigned: tags.has('assigned') });
    } else if (tag === 'parameter') this.#define({ kind: 'parameter', isMember: false, name: node, whole: node });
    else if (tag === 'local') this.#define({ kind: 'variable', isMember: false, name: node, whole: node });
    else if (tag === 'not-scope') this.#notScopes.add(node.id);
    else if (tag === 'global') this.#global.add(node.startIndex);
    else if (tag === 'private') this.#private.add(node.startIndex);
    else if (tag === 'words') this.#useWords(node);
    else if (tag === 'first-word') this.#useFirstWord(node);
    else if (tag === 'type-words') this.#useTypeWords(node);
    else if (tag === 'not-local') this.#notLocal.add(node.startIndex);
    else if (tag === 'key') this.#useKey(node, tags);
    else if (tag === 'export.same') this.#passedOn.add(node.text);
    else if (tag === 'argument-name') this.#useArgument(node, tags.get('called'));
    else if (tag === 'class-body') this.#classBodies.set(node.startIndex, node);
    else if (tag === 'scope') this.#scopes.set(node.id, node);
    else if (tag === 'used-too') this.#keyUses.add(this.#useOf(node).at);
    else if (tag === 'keyword' || tag === 'import.alias') this.#notUses.add(node.startIndex);
    else this.#use(tag, node, tags);
  }

  /** Of several tags of one name a member wins, best with its container. Then any kind but `variable` and `type`, then the first. */
  #define(found: Found): void {
    const before = this.#found.get(found.name.startIndex);
    const isVague = before?.kind === 'variable' || before?.kind === 'type';
    const isPlaced = found.container !== undefined && before?.container === undefined;
    const isBetter = found.isMember ? !before?.isMember || isPlaced : isVague && found.kind !== 'parameter';
    if (!before || isBetter) this.#found.set(found.name.startIndex, found);
  }

  #use(tag: string, node: Node, tags: ReadonlyMap<string, Node>): void {
    if (tag.startsWith('import.') && tag !== 'import.own') this.#imported.add(node.startIndex);
    if (!uses.has(tag)) return;
    const use = this.#useOf(node);
    // What `new` makes is called, though its name is that of a type.
    if (tag === 'call' || (tag === 'type' && use.role !== 'call')) use.role = tag;
    else if (tag.startsWith('import.')) use.role = 'import';
    else if (tag === 'of-qualifier') {
      use.isMember = true;
      const qualifier = tags.get('qualifier');
      const text = qualifier && shortValue(qualifier);
      if (text !== undefined) use.qualifier = text;
    }
  }

  #useOf(node: Node): Use {
    const known = this.#uses.get(node.startIndex);
    return known ?? this.#addUse(useOf(node));
  }

  /** Uses a key of a literal, if the value or its type is known. */
  #useKey(node: Node, tags: ReadonlyMap<string, Node>): void {
    const qualifier = this.#relations.valueOf(tags);
    if (qualifier === undefined) return;
    this.#addUse({ ...useOf(node), isMember: true, qualifier });
    this.#keyUses.add(node.startIndex);
  }

  /** Uses the parameter that a named argument names. */
  #useArgument(node: Node, called: Node | undefined): void {
    const value = called && shortValue(called);
    if (value === undefined) this.#notUses.add(node.startIndex);
    else this.#addUse({ ...useOf(node), isMember: true, qualifier: `${value}#=` });
  }

  /** Uses the names in a text that the grammar does not parse. */
  #useWords({ text, startIndex, startPosition }: Node): void {
    let line = startPosition.row + 1;
    for (const { 0: word, index } of text.matchAll(/\n|[\p{L}_][\p{L}\p{N}_]*/gu)) {
      if (word === '\n') line += 1;
      else if (!wordsOfStatements.has(word)) {
        const role = /^\s*\(/.test(text.slice(index + word.length)) ? 'call' : 'other';
        const isMember = /(?:\.|->)\s*$/.test(text.slice(0, index));
        this.#addUse({ name: word, role, isMember, line, at: startIndex + index });
      }
    }
  }

  /** Uses the name with which a text begins: that of `$name` in a string. */
  #useFirstWord(node: Node): void {
    const [name] = /^[\p{L}_][\p{L}\p{N}_]*/u.exec(node.text) ?? [];
    if (name !== undefined) this.#addUse({ ...useOf(node), name });
  }

  /** Uses the names in a type that is written as a string. */
  #useTypeWords(node: Node): void {
    // Lines of a text of several are not worth counting: types are short.
    if (node.text.includes('\n')) return;
    for (const { 0: path, index } of node.text.matchAll(/[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*/gu)) {
      let start = 0;
      for (const name of path.split('.')) {
        const behind = start > 0 && { isMember: true, qualifier: path.slice(0, start - 1) };
        this.#addUse({ ...useOf(node), name, role: 'type', at: node.startIndex + index + start, ...behind });
        start += name.length + 1;
      }
    }
  }

  #addUse(use: Use): Use {
    this.#uses.set(use.at, use);
    return use;
  }
}

/** The kind of definition that a tag stands for. Cached, because there are few tags and many matches. */
function definedBy(tag: string): Pick<Found, 'kind' | 'isMember'> | undefined {
  if (kinds.has(tag)) return kinds.get(tag);
  const [, place, kind] = definitionTag.exec(tag) ?? [];
  const defined = kind === undefined ? undefined : { kind, isMember: place === 'member' };
  kinds.set(tag, defined);
  return defined;
}

/** Kotlin, Scala and Swift write keywords that are names in backticks. */
const bareName = (text: string): string => (/^`.+`$/s.test(text) ? text.slice(1, -1) : text);

const useOf = ({ text, startIndex: at, startPosition: { row } }: Node): Use => {
  return { name: bareName(text), role: 'other', isMember: false, line: row + 1, at };
};

/** An imported name has no qualifier. */
const importUse = ({ name, line, at }: Use): Use => ({ name, role: 'import', isMember: false, line, at });

const spanOf = (node: Node, name: string): Span => ({ start: node.startIndex, end: node.endIndex, name });

/** Without the colon of a name that is written as a value: `:name`. */
function definitionOf(
  { kind, isMember, name, whole, container: named }: Found,
  { scopes, holders }: Surroundings,
): Definition {
  const span = spanOf(whole, '');
  // A parameter of what has no body is known to nobody else.
  const scope = isMember ? undefined : (scopes.around(span) ?? (kind === 'parameter' ? span : undefined));
  const container = named ?? holders.around(span)?.name;
  const mark = name.text.startsWith(':') ? 1 : 0;
  return {
    name: bareName(name.text.slice(mark)),
    kind,
    isMember,
    line: name.startPosition.row + 1,
    column: name.startPosition.column + mark,
    at: name.startIndex + mark,
    startLine: whole.startPosition.row + 1,
    endLine: whole.endPosition.row + 1,
    ...(container !== undefined && { container }),
    ...(scope && { scope: [scope.start, scope.end] as const }),
  };
}

/** The import that the tags of one match describe; undefined where they describe none. */
function importOf(tags: ReadonlyMap<string, Node>): Import | undefined {
  const found = describedBy(tags);
  return found && tags.has('import.own') ? { ...found, isOwn: true } : found;
}

function describedBy(tags: ReadonlyMap<string, Node>): Import | undefined {
  const source = tags.get('import.source');
  if (!source) return renamed(tags);
  const module = source.text;
  if (tags.has('import.all')) return { module, kind: 'all', imported: '', local: '' };
  const whole = tags.get('import.module');
  if (whole) return { module, kind: 'module', imported: '', local: localModule(whole, source) };
  const fallback = tags.get('import.default');
  if (fallback) return { module, kind: 'name', imported: 'default', local: fallback.text };
  const imported = tags.get('import.name');
  if (!imported) return undefined;
  const local = bareName((tags.get('import.alias') ?? imported).text);
  return { module, kind: 'name', imported: bareName(imported.text), local };
}

/** A name of the file itself that it exports under another one. */
function renamed(tags: ReadonlyMap<string, Node>): Import | undefined {
  const whole = tags.get('export.whole')?.text;
  if (whole !== undefined) return { module: '', kind: 'name', imported: whole, local: wholeModule };
  const own = tags.get('export.name')?.text;
  if (own === undefined) return undefined;
  return { module: '', kind: 'name', imported: own, local: tags.get('export.alias')?.text ?? 'default' };
}

/** The name under which an imported module is used: the given one, or else the last part of its path. */
function localModule(whole: Node, source: Node): string {
  if (whole.id !== source.id) return whole.text;
  const parts = whole.text.split('/');
  const last = parts.at(-1) ?? '';
  return /^v\d+$/.test(last) && parts.length > 1 ? (parts.at(-2) ?? last) : last;
}

/** Most values of one name that are kept. */
const maxValues = 4;

/**
 * In one scope or type, the first assignment to a name defines it. The others are uses. The type of the definition is that of any of
 * the values. `definitions` are in the order of the file. `assigned` has the offsets of assigned names, each with the offset of the type
 * around it.
 */
function withoutRepeated(
  definitions: readonly Definition[],
  assigned: ReadonlyMap<number, number | undefined>,
): Definition[] {
  if (assigned.size === 0) return [...definitions];
  const groups = new Map<string, Definition[]>();
  for (const one of definitions) {
    const place = one.isMember ? assigned.get(one.at) : one.scope?.join(' ');
    const key = `${one.name} ${one.isMember} ${place}`;
    const group = groups.get(key);
    if (group && assigned.has(one.at)) group.push(one);
    else groups.set(group ? `${key} ${one.at}` : key, [one]);
  }
  return [...groups.values()].flatMap(([first, ...others]) => (first ? [{ ...first, ...typeOf(first, others) }] : []));
}

/** A written type counts alone. Otherwise any of the values tells the type. */
function typeOf({ type }: Definition, others: readonly Definition[]): Pick<Definition, 'type'> {
  const all = [type, ...others.map((one) => one.type)].filter((text) => text !== undefined);
  const written = all.find((text) => !text.startsWith('='));
  if (written !== undefined) return { type: written };
  const values = [...new Set(all)].slice(0, maxValues).map((text) => text.slice(1));
  if (values.length < 2) return values[0] === undefined ? {} : { type: `=${values[0]}` };
  return { type: `=${values.map((value) => `(${value})`).join('||')}` };
}
