import type { Definition } from '../../parse/file-symbols.ts';
import type { SourceFile, Target } from '../../snapshot/source-file.ts';
import { genericsIn } from './type-parser.ts';
import type { FunctionNode, TypeNode } from './type-parser.ts';

/** Where the text of a type stands, and what the type parameters mean there. */
export interface Place {
  readonly file: SourceFile;
  readonly at: number;
  readonly line: number;
  readonly bindings: ReadonlyMap<string, TypeAt>;
  /** Steps that are left for the question. The limit also ends circles. */
  readonly work: { left: number };
}

/** A type that is looked at when it is needed. */
export interface TypeAt {
  readonly node: TypeNode;
  readonly place: Place;
}

/** What a value is, as far as that can be inferred. */
export type Shape =
  /** A value of a type, or (`isItself`) the type, as before `Type.name`. */
  | {
      readonly kind: 'type';
      readonly target: Target;
      readonly args: readonly TypeAt[];
      readonly isItself: boolean;
      readonly work: { left: number };
    }
  | { readonly kind: 'span'; readonly start: number; readonly end: number; readonly place: Place }
  | { readonly kind: 'function'; readonly node: FunctionNode; readonly place: Place }
  /** The parameters of a function by name. `place` is that of the name of the function. */
  | { readonly kind: 'parameters'; readonly place: Place }
  | { readonly kind: 'tuple'; readonly of: readonly TypeAt[] }
  | Library
  | { readonly kind: 'method'; readonly of: Library; readonly name: string }
  | Foreign;

/** A value from a library that no repository has. None of its own members is defined here. */
export interface Foreign {
  readonly kind: 'foreign';
  readonly name: string;
  /** The type argument that it was made with. It probably is, or holds, a value of that type. */
  readonly holds?: TypeAt | undefined;
}

/** A well-known library type: a list, a map, a record with string keys, or a promise. */
export interface Library {
  readonly kind: 'list' | 'map' | 'record' | 'promise';
  readonly args: readonly TypeAt[];
}

/** A type, as before `Type.name`. */
export const itselfOf = (target: Target, work: Place['work']): Shape => ({
  kind: 'type',
  target,
  args: [],
  isItself: true,
  work,
});

export async function flat<T>(all: readonly Promise<readonly T[]>[]): Promise<T[]> {
  return (await Promise.all(all)).flat();
}

/** Of types with one name those with as many parameters, where the language tells them apart by these. */
export function withArity<T>(all: readonly T[], arity: number, definitionOf: (one: T) => Definition | undefined): T[] {
  if (all.length < 2) return [...all];
  const isFitting = (one: T): boolean => {
    const definition = definitionOf(one);
    return !definition || genericsIn(definition.type).length === arity;
  };
  const fitting = all.filter(isFitting);
  return fitting.length > 0 ? fitting : [...all];
}

const namesOf = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const lists = namesOf(
  'Array ReadonlyArray Set ReadonlySet WeakSet Iterable Iterator IterableIterator AsyncIterable AsyncIterator Generator AsyncGenerator list List set frozenset FrozenSet Sequence Collection deque Vec VecDeque vector span array LinkedList ArrayList Queue Deque HashSet MutableList MutableSet IEnumerable IList ICollection IReadOnlyList',
);
const maps = namesOf('map Map ReadonlyMap WeakMap HashMap BTreeMap TreeMap LinkedHashMap MutableMap');
const records = namesOf(
  'Record Hash dict Dict Mapping MutableMapping DefaultDict OrderedDict defaultdict Dictionary IDictionary',
);
const promises = namesOf('Promise PromiseLike Awaitable Coroutine Future Task CompletableFuture');
/** Types whose values are those of their first argument. */
export const transparent = namesOf(
  'Partial Readonly Required NonNullable Awaited Omit Pick Final ClassVar Annotated NoInfer',
);
/** Types around one value that pass on the members of the value. */
export const wrappers = namesOf(
  'Optional Lazy Option Result Box Rc Arc Ref RefCell Cell Mutex RwLock OnceCell unique_ptr shared_ptr weak_ptr optional',
);

const plain = namesOf(
  'string str bytes number int float bool boolean error byte rune int32 int64 uint32 uint64 float64 JSX.IntrinsicElements',
);
const anything = namesOf('any Any unknown object Object');

/** The shape of a name that nothing defines: a type of the language, or imported from elsewhere. */
export function foreignOf(name: string, isImported: boolean, holds?: TypeAt): Foreign[] {
  const last = name.slice(name.lastIndexOf('.') + 1);
  return plain.has(name) || (isImported && !anything.has(last)) ? [{ kind: 'foreign', name: last, holds }] : [];
}

/** React's `forwardRef<Ref, Props>` takes a function whose first parameter is of the second type. */
const wrapped = 'forwardRef';

/** The type argument of a call of a foreign function. */
export const madeFor = ({ name, holds }: Foreign, args: readonly TypeAt[]): TypeAt | undefined =>
  (name === wrapped ? args[1] : undefined) ?? args[0] ?? holds;

/** The result of a foreign call is foreign too. It may hold the type argument of the call, or that of the function. */
export function calledForeign({ kind, name, holds: before }: Foreign, [first, second]: readonly TypeAt[]): Shape[] {
  if (name === wrapped && second) return [functionFor(second)];
  const holds = first ?? before;
  return holds || /^\p{Lu}/u.test(name) ? [{ kind, name, holds }] : [];
}

/** A function that takes and returns values of one type. */
export const functionFor = ({ node, place }: TypeAt): Shape => ({
  kind: 'function',
  node: { kind: 'function', generics: [], takes: [{ isRest: true, type: { kind: 'list', of: node } }], gives: node },
  place,
});

const components = namesOf('FC FunctionComponent VFC ComponentType Component PureComponent');

/** A React component, which takes one type of properties: a function, or a base class. */
export const componentOf = (name: string, props: TypeAt): Shape[] => (components.has(name) ? [functionFor(props)] : []);

export function libraryOf(name: string): Library['kind'] | undefined {
  if (lists.has(name)) return 'list';
  if (maps.has(name)) return 'map';
  if (records.has(name)) return 'record';
  return promises.has(name) ? 'promise' : undefined;
}

const sameList = namesOf(
  'filter slice concat sort toSorted reverse toReversed values copy splice toSpliced with fill flat iter clone as_ref unwrap_or into_iter stream toList collect lock read write borrow borrow_mut as_mut as_deref ok_or ok_or_else map_err iter_mut into Where OrderBy ToList ToArray',
);
const oneOfList = namesOf(
  'find findLast at pop shift get next first last unwrap expect unwrap_or unwrap_or_else unwrap_or_default value popleft remove poll peek First Single FirstOrDefault orElse orElseThrow',
);
const oneOfMap = namesOf('get setdefault pop getOrDefault');

/** What a method of a library type returns. */
export function givenBy({ kind, args }: Library, method: string): Shape | TypeAt | undefined {
  const [first, second] = args;
  const last = second ?? first;
  if (kind === 'promise') return { kind, args };
  if (kind === 'list') {
    if (sameList.has(method)) return { kind, args };
    if (oneOfList.has(method)) return first;
    return method === 'entries' && first ? { kind: 'list', args: [first] } : undefined;
  }
  if (oneOfMap.has(method)) return last;
  if (/^(items|entries)$/.test(method) && first && second)
    return { kind: 'list', args: [{ node: { kind: 'tuple', of: [first.node, second.node] }, place: second.place }] };
  if (method === 'values' && last) return { kind: 'list', args: [last] };
  if (method === 'keys' && first) return { kind: 'list', args: [first] };
  return undefined;
}

/** What a callback of a method of a library type gets as one of its parameters. */
export function calledWith({ kind, args }: Library, method: string, parameter: number): TypeAt | undefined {
  const [first, second] = args;
  if (kind === 'promise') return method === 'then' && parameter === 0 ? first : undefined;
  if (kind !== 'list') return parameter === 0 ? (second ?? first) : first;
  if (method === 'reduce' || method === 'reduceRight') return parameter === 1 ? first : undefined;
  if (method === 'sort' || method === 'toSorted') return first;
  return parameter === 0 ? first : undefined;
}
