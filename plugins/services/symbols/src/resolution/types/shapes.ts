import type { SourceFile, Target } from '../target.ts';
import type { FunctionNode, TypeNode } from './type-text.ts';

/** Where a text of a type stands, with what the names of its parameters are there. */
export interface Place {
  readonly file: SourceFile;
  readonly at: number;
  readonly line: number;
  readonly bindings: ReadonlyMap<string, TypeAt>;
  /** Steps that the question may still take; also what ends a circle. */
  readonly work: { left: number };
}

/** A type that is looked at when it is needed. */
export interface TypeAt {
  readonly node: TypeNode;
  readonly place: Place;
}

/** What a value is, as far as that can be told. */
export type Shape =
  /** Of a type; or the type itself, as that before `Type.name`. */
  | {
      readonly kind: 'type';
      readonly target: Target;
      readonly args: readonly TypeAt[];
      readonly isItself: boolean;
      readonly work: { left: number };
    }
  | { readonly kind: 'span'; readonly start: number; readonly end: number; readonly place: Place }
  | { readonly kind: 'function'; readonly node: FunctionNode; readonly place: Place }
  | { readonly kind: 'tuple'; readonly of: readonly TypeAt[] }
  | Library
  | { readonly kind: 'method'; readonly of: Library; readonly name: string }
  | Foreign;

/** What comes from where no repository is known: nothing that is defined here. */
export interface Foreign {
  readonly kind: 'foreign';
  readonly name: string;
}

/** Of a type that no repository defines: many values of one kind, some by keys, or one that comes later. */
export interface Library {
  readonly kind: 'list' | 'map' | 'record' | 'promise';
  readonly args: readonly TypeAt[];
}

const namesOf = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const lists = namesOf(
  'Array ReadonlyArray Set ReadonlySet WeakSet Iterable Iterator IterableIterator AsyncIterable AsyncIterator Generator AsyncGenerator list List set frozenset FrozenSet Sequence Collection deque Vec Option Rc Arc Box RefCell LinkedList ArrayList Queue Deque HashSet MutableList MutableSet IEnumerable IList ICollection IReadOnlyList',
);
const maps = namesOf('map Map ReadonlyMap WeakMap HashMap BTreeMap TreeMap LinkedHashMap MutableMap');
const records = namesOf(
  'Record dict Dict Mapping MutableMapping DefaultDict OrderedDict defaultdict Dictionary IDictionary',
);
const promises = namesOf('Promise PromiseLike Awaitable Coroutine Future Task CompletableFuture');
/** Types whose values are those of their first argument. */
export const transparent = namesOf(
  'Partial Readonly Required NonNullable Awaited Omit Pick Optional Final ClassVar Annotated NoInfer Lazy',
);

const plain = namesOf(
  'string str bytes number int float bool boolean error byte rune int32 int64 uint32 uint64 float64',
);
const anything = namesOf('any Any unknown object Object');

/** Of a name that nothing defines: a type of the language, or imported from elsewhere. */
export function foreignOf(name: string, isImported: boolean): Foreign[] {
  const last = name.slice(name.lastIndexOf('.') + 1);
  return plain.has(name) || (isImported && !anything.has(last)) ? [{ kind: 'foreign', name: last }] : [];
}

/** What is made of something foreign is foreign; what its functions give may be what they were given. */
export const calledForeign = (shape: Foreign): Foreign[] => (/^\p{Lu}/u.test(shape.name) ? [shape] : []);

export function libraryOf(name: string): Library['kind'] | undefined {
  if (lists.has(name)) return 'list';
  if (maps.has(name)) return 'map';
  if (records.has(name)) return 'record';
  return promises.has(name) ? 'promise' : undefined;
}

const sameList = namesOf(
  'filter slice concat sort toSorted reverse toReversed values copy splice toSpliced with fill flat iter clone as_ref unwrap_or into_iter stream toList collect Where OrderBy ToList ToArray',
);
const oneOfList = namesOf(
  'find findLast at pop shift get next first last unwrap expect popleft remove poll peek First Single FirstOrDefault orElse orElseThrow',
);
const oneOfMap = namesOf('get setdefault pop getOrDefault');

/** What a method of a library's type gives, of what is said of its values. */
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

/** What a function that is given to a method of a library's type is called with. */
export function calledWith({ kind, args }: Library, method: string, parameter: number): TypeAt | undefined {
  const [first, second] = args;
  if (kind === 'promise') return method === 'then' && parameter === 0 ? first : undefined;
  if (kind !== 'list') return parameter === 0 ? (second ?? first) : first;
  if (method === 'reduce' || method === 'reduceRight') return parameter === 1 ? first : undefined;
  if (method === 'sort' || method === 'toSorted') return first;
  return parameter === 0 ? first : undefined;
}
