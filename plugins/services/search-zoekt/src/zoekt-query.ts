import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { languagePattern } from '@sextant/contracts';
import type { Query } from '@sextant/contracts';

/** A query as zoekt takes it; a constant is true or false of every file. */
type ZoektQuery = Uint8Array | boolean;

/** Numbers of the fields of `Q` in query.proto. */
const field = { regexp: 2, const: 5, repoIds: 9, substring: 13, and: 14, or: 15, not: 16 } as const;

/**
 * A query that is true of every file of which the given one is true, over some repositories or all, as bytes of `Q`. What zoekt understands otherwise than a
 * search here is left out of it: the matcher decides.
 */
export function zoektQuery(query: Query, ids?: readonly number[]): Uint8Array {
  const atLeastAll = atLeast(query);
  const files = typeof atLeastAll === 'boolean' ? constant(atLeastAll) : atLeastAll;
  if (!ids) return files;
  const repositories = message(field.repoIds, (writer) => writer.uint32(tag(1)).bytes(bitmapOf(ids)));
  return allOf([repositories, files]);
}

const tag = (number: number, wire = 2): number => (number << 3) | wire;

const message = (number: number, write: (writer: BinaryWriter) => void): Uint8Array => {
  const inner = new BinaryWriter();
  write(inner);
  return new BinaryWriter().uint32(tag(number)).bytes(inner.finish()).finish();
};

const constant = (value: boolean): Uint8Array => new BinaryWriter().uint32(tag(field.const, 0)).bool(value).finish();

const allOf = (children: readonly Uint8Array[]): Uint8Array => joined(field.and, children);

const joined = (number: number, children: readonly Uint8Array[]): Uint8Array =>
  message(number, (writer) => {
    for (const child of children) writer.uint32(tag(1)).bytes(child);
  });

function combined(kind: 'and' | 'or', children: readonly ZoektQuery[]): ZoektQuery {
  const isAnd = kind === 'and';
  if (children.includes(!isAnd)) return !isAnd;
  const left = children.filter((child) => typeof child !== 'boolean');
  return left.length === 0 ? isAnd : joined(field[kind], left);
}

/** True of each file of which `query` is true. */
function atLeast(query: Query): ZoektQuery {
  switch (query.kind) {
    case 'and':
    case 'or':
      return combined(query.kind, query.children.map(atLeast));
    case 'not':
      return negated(atMost(query.child));
    case 'literal':
      return withText(longestRun(query.text), query.isCaseSensitive);
    case 'regex':
      return withExpression(query.pattern, { isCaseSensitive: query.isCaseSensitive && !hasFlags.test(query.pattern) });
    case 'file':
      return withExpression(query.pattern, { isPath: true });
    case 'lang':
      return withExpression(languagePattern(query.name) ?? '', { isPath: true });
    case 'none':
      return false;
    default:
      return true;
  }
}

/** True of no file of which `query` is false. */
function atMost(query: Query): ZoektQuery {
  switch (query.kind) {
    case 'and':
    case 'or':
      return combined(query.kind, query.children.map(atMost));
    case 'not':
      return negated(atLeast(query.child));
    case 'literal':
      return longestRun(query.text) === query.text && withText(query.text, query.isCaseSensitive);
    case 'all':
      return true;
    default:
      return false;
  }
}

const negated = (child: ZoektQuery): ZoektQuery =>
  typeof child === 'boolean' ? !child : message(field.not, (writer) => writer.uint32(tag(1)).bytes(child));

/** The longest part that zoekt finds in any case as a search here does: printable characters of ASCII. */
const longestRun = (text: string): string =>
  text.split(/[^\x20-\x7e]/).reduce((best, run) => (run.length > best.length ? run : best), '');

const withText = (text: string, isCaseSensitive: boolean): ZoektQuery =>
  text === '' ||
  message(field.substring, (writer) => {
    writer.uint32(tag(1)).string(text);
    if (isCaseSensitive) writer.uint32(tag(2, 0)).bool(true);
  });

/** What means something else in zoekt, which sees a whole file: borders of the text; and other letters, which it folds in another way. */
const unlike = /[^\x20-\x7e]|\\[AzQxpP]/;
/** Of an exact expression: zoekt looks for the wrong letters where `(?i:…)` stands in one. */
const hasFlags = /\(\?[^:]/;

const withExpression = (pattern: string, { isPath = false, isCaseSensitive = false }): ZoektQuery =>
  pattern === '' ||
  unlike.test(pattern) ||
  message(field.regexp, (writer) => {
    writer.uint32(tag(1)).string(beforeReturn(pattern));
    if (isPath) writer.uint32(tag(2, 0)).bool(true);
    if (isCaseSensitive) writer.uint32(tag(4, 0)).bool(true);
  });

/** With `\r?$` for `$`: here a line ends before CRLF, too. Within a class `$` is a character. */
function beforeReturn(pattern: string): string {
  let [changed, inClass] = ['', false];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] ?? '';
    if (character === '\\') changed += character + (pattern[(at += 1)] ?? '');
    else if (inClass) {
      if (character === '[' && pattern[at + 1] === ':') {
        const end = pattern.indexOf(':]', at) + 2;
        changed += pattern.slice(at, end);
        at = end - 1;
        continue;
      }
      inClass = character !== ']';
      changed += character;
    } else if (character === '[') {
      const begin = /^\[\^?\]?/.exec(pattern.slice(at))?.[0] ?? character;
      inClass = true;
      changed += begin;
      at += begin.length - 1;
    } else changed += character === '$' ? '(?:\\r?$)' : character;
  }
  return changed;
}

const [cookie, mostOfArray, bitsetBytes] = [12_346, 4096, 8192];

/** A roaring bitmap in its portable format, without runs. Ids must ascend. */
function bitmapOf(ids: readonly number[]): Uint8Array {
  const containers = [...Map.groupBy(ids, (id) => id >>> 16)];
  const bodies = containers.map(([, values]) => containerOf(values));
  const head = Buffer.alloc(8 + containers.length * 8);
  head.writeUInt32LE(cookie, 0);
  head.writeUInt32LE(containers.length, 4);
  let offset = head.length;
  for (const [at, [key, values]] of containers.entries()) {
    head.writeUInt16LE(key, 8 + at * 4);
    head.writeUInt16LE(values.length - 1, 10 + at * 4);
    head.writeUInt32LE(offset, 8 + containers.length * 4 + at * 4);
    offset += bodies[at]?.length ?? 0;
  }
  return Buffer.concat([head, ...bodies]);
}

function containerOf(ids: readonly number[]): Buffer {
  if (ids.length <= mostOfArray) return Buffer.from(Uint16Array.from(ids, (id) => id & 0xffff).buffer);
  const bits = Buffer.alloc(bitsetBytes);
  for (const id of ids) bits[(id & 0xffff) >>> 3] = (bits[(id & 0xffff) >>> 3] ?? 0) | (1 << (id & 7));
  return bits;
}
