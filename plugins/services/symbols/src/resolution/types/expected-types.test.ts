import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alice, startSymbols } from '../../testing/start-symbols.ts';
import type { StartedSymbols } from '../../testing/start-symbols.ts';

const { signal } = new AbortController();
let served: StartedSymbols;

/** Of what a line defines. */
async function usesOf(path: string, line: number, symbol: string): Promise<string[]> {
  const request = { repo: 'shop', path, symbol, line, limit: 100 };
  const { files, precision } = await served.symbols.findReferences(alice, request, signal);
  expect(precision).toBe('syntactic');
  return files.flatMap((file) => file.places.map((place) => `${file.path}:${place.line}`));
}

/** The same name in several types, so that only the component tells which is meant. */
const parts = `import { Component, forwardRef, memo, type FC } from 'react';
interface Decoy { title: string; label: string; rows: string[]; key: string; count: number; className: string }
type FieldProps = { label: string };
const Field = ({ label }: FieldProps) => <p>{label}</p>;
interface Column { key: string }
function Table({ rows }: { rows: Column[]; options?: Column }) { return <div className="table">{rows.length}</div>; }
const Head: FC<{ title: string }> = (props) => <h1>{props.title}</h1>;
const Input = forwardRef<HTMLInputElement, { count: number }>((props, ref) => <input />);
const Memo = memo((props: { title: string }) => <i>{props.title}</i>);
class Old extends Component<{ label: string }> {}
`;

const page = `import { Field, Head, Input, Memo, Old, Table } from './parts';
const field = <Field label="a" />;
const head = <Head title="a" />;
const input = <Input count={1}></Input>;
const old = <Old label="a" />;
const memo = <Memo title="a" />;
`;

const table = `import * as parts from './parts';
const table = <parts.Table rows={[{ key: 'a' }]} />;
`;

const store = `import { create } from 'zustand';
import { useRef, useState } from 'react';
interface Goods { open(): void; price: number; list: string[] }
interface Decoy { open(): void; price: number; list: string[] }
const useGoods = create<Goods>((set) => ({
  price: 1,
  open: () => set((state) => ({ list: state.list })),
}));
function Page() {
  const goods = useRef<Goods>(null);
  goods.current.open();
  const [all] = useState<Goods[]>([]);
  all.map((one) => one.price);
}
`;

const given = `interface Price { amount: number }
interface Decoy { amount: number }
function back(): Price { return { amount: 1 }; }
const later = async (): Promise<Price> => ({ amount: 1 });
const many: Price[] = [{ amount: 1 }];
const said = { amount: 1 } satisfies Price;
`;

const redis = `const open = () => 1;
export default { open, enabled: true };
`;
const redisUse = `import cache from './redis';
interface Decoy { open(): void; enabled: boolean }
if (cache.enabled) cache.open();
const { enabled } = cache;
`;

const renamed = `import { make as makeRow } from './rows';
const make = () => makeRow();
make();
`;

beforeAll(async () => {
  const rows = 'export function make() {}\n';
  served = await startSymbols({
    shop: {
      'parts.tsx': parts,
      'page.tsx': page,
      'table.tsx': table,
      'store.ts': store,
      'given.ts': given,
      'rows.ts': rows,
      'renamed.ts': renamed,
      'redis.ts': redis,
      'redis-use.ts': redisUse,
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

describe('an attribute of JSX is of what its component takes', () => {
  it.each([
    ['a function with the type of its parameter', 3, 'label', ['parts.tsx:4', 'page.tsx:2']],
    ['a function with the type of its parameter written beside it', 6, 'rows', ['parts.tsx:6', 'table.tsx:2']],
    ['a key of what it takes', 5, 'key', ['table.tsx:2']],
    ['a constant of a type of components', 7, 'title', ['parts.tsx:7', 'page.tsx:3']],
    ['a function that a reference is forwarded to', 8, 'count', ['page.tsx:4']],
    ['a function that is remembered', 9, 'title', ['parts.tsx:9', 'page.tsx:6']],
    ['a class', 10, 'label', ['page.tsx:5']],
    ['of an element of HTML it is no property of the repository', 2, 'className', []],
  ])('%s', async (_what, line, symbol, places) => {
    expect(await usesOf('parts.tsx', line, symbol)).toEqual(places);
  });
});

describe('what comes from elsewhere and was made for a type', () => {
  it('takes, has and holds values of it', async () => {
    expect(await usesOf('store.ts', 3, 'price')).toEqual(['store.ts:6', 'store.ts:13']);
    expect(await usesOf('store.ts', 3, 'open')).toEqual(['store.ts:7', 'store.ts:11']);
    expect(await usesOf('store.ts', 3, 'list')).toContain('store.ts:7');
  });
});

it('the keys of a literal are those of the type that is written for it', async () => {
  expect(await usesOf('given.ts', 1, 'amount')).toEqual([3, 4, 5, 6].map((line) => `given.ts:${line}`));
});

it('a name of the file comes before one that it imports under another name', async () => {
  expect(await served.definition('shop renamed.ts', 'make')).toEqual(['renamed.ts:2']);
});

describe('what a module has instead of a name', () => {
  it('is what others import under names of theirs', async () => {
    expect(await served.definition('shop redis-use.ts', 'cache')).toEqual(['redis.ts:2']);
    expect(await served.references('shop redis.ts', 'default')).toEqual(
      [1, 3, 3, 4].map((line) => `redis-use.ts:${line}`),
    );
  });

  it('has the keys that are written there', async () => {
    expect(await usesOf('redis.ts', 2, 'enabled')).toEqual(['redis-use.ts:3', 'redis-use.ts:4']);
    expect(await served.definition('shop redis-use.ts', 'open')).toEqual(['redis.ts:2']);
  });
});
