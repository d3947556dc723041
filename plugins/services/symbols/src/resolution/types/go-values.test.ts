import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alice, startSymbols } from '../../testing/start-symbols.ts';
import type { StartedSymbols } from '../../testing/start-symbols.ts';

const { signal } = new AbortController();
let served: StartedSymbols;

const row = `package store

import "os"

type Row struct{ Name string }

type Table struct {
	Meta
	Rows []*Row
	byName map[string]Row
}

type Rows []Row

type Opener interface{ Open() (*Row, error) }

func Make() *Row { return nil }

func Both() (row Row, err error) { return }

func (t *Table) First() *Row { return t.Rows[0] }

type Other struct{ *os.File; Name string }
`;
const meta = `package store

type Meta struct{ Size int }

func (m *Meta) Touch() {}

func (r *Row) Save() {}

func (o Other) Save() {}
`;

/** Each in a function of its own; \`Save\` is that of Row. */
const uses = [
  'r := Row{}; r.Save()',
  'r := &Row{Name: ""}; r.Save()',
  'var r *Row; r.Save()',
  'r := new(Row); r.Save()',
  'r := Make(); r.Save()',
  'r, err := Both(); r.Save(); _ = err',
  'var o Opener; r, _ := o.Open(); r.Save()',
  'for _, r := range table.Rows { r.Save() }',
  'table.Rows[0].Save()',
  'table.Rows[1:][0].Save()',
  'table.First().Save()',
  'r := table.byName["a"]; r.Save()',
  'r, ok := table.byName["a"]; r.Save(); _ = ok',
  'rows := []Row{{}}; rows[0].Save()',
  'rows := make([]*Row, 3); rows[0].Save()',
  'for _, r := range Rows(nil) { r.Save() }',
  'x.(*Row).Save()',
  'if r, ok := x.(*Row); ok { r.Save() }',
  'ch := make(chan *Row); r := <-ch; r.Save()',
  'ch := make(chan Row); select { case r := <-ch: r.Save() }',
  'f := func() *Row { return nil }; f().Save()',
];
const useFile = `package store\n\nvar table Table\n\n${uses.map((use, index) => `func f${index}(x any) { ${use} }\n`).join('')}`;
const literals = `package store

func literals() {
	_ = Row{Name: "a"}
	_ = []Row{{Name: "b"}}
	_ = map[string]*Row{"c": {Name: "d"}}
	cases := []struct{ Name string }{{Name: "e"}}
	for _, c := range cases {
		_ = c.Name
	}
	var t Table
	t.Touch()
	_ = t.Meta.Size
	var o Other
	o.Save()
	o.File.Close()
	row, err := Both()
	again, err := Both()
	_, _, _ = row, again, err
}
`;
const other = `package main

import db "example.com/shop/store"

func main() {
	db.Make().Save()
	_ = db.Row{Name: "f"}
	_ = db.Make
}
`;

beforeAll(async () => {
  served = await startSymbols({
    shop: {
      'go.mod': 'module example.com/shop\n',
      'store/row.go': row,
      'store/meta.go': meta,
      'store/use.go': useFile,
      'store/literals.go': literals,
    },
    user: { 'go.mod': 'module example.com/user\n', 'main.go': other },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

const define = async (at: string, line: number, symbol: string): Promise<string[]> => {
  const [repo = '', path = ''] = at.split(' ');
  const { files } = await served.symbols.findDefinition(alice, { repo, path, symbol, line }, signal);
  return files.flatMap((file) => file.places.map((place) => `${file.path}:${place.line}`));
};

describe('a method in Go is that of the type that a value has from', () => {
  it.each(uses.map((use, index) => [use, index + 5] as const))('%s', async (_use, line) => {
    expect(await define('shop store/use.go', line, 'Save')).toEqual(['store/meta.go:7']);
  });
});

describe('a name in Go is', () => {
  it.each([
    ['a field of the type of a literal', 4, 'Name', 'store/row.go:5'],
    ['a field of the elements of a list', 5, 'Name', 'store/row.go:5'],
    ['a field of the values of a map', 6, 'Name', 'store/row.go:5'],
    ['a field of a type without a name', 7, 'Name', 'store/literals.go:7'],
    ['a field of what a loop takes out of it', 9, 'Name', 'store/literals.go:7'],
    ['a method of a type that is embedded', 12, 'Touch', 'store/meta.go:5'],
    ['what is embedded', 13, 'Meta', 'store/row.go:8'],
    ['a field of it', 13, 'Size', 'store/meta.go:3'],
    ['a method of another type', 15, 'Save', 'store/meta.go:9'],
    ['defined by the first := of a function', 18, 'err', 'store/literals.go:17'],
  ])('%s', async (_what, line, symbol, place) => {
    expect(await define('shop store/literals.go', line, symbol)).toEqual([place]);
  });

  it.each([
    ['a method of what a function of another repository gives', 6, 'Save', 'store/meta.go:7'],
    ['a field of a type of another repository', 7, 'Name', 'store/row.go:5'],
    ['the package, which is named where it is declared', 8, 'db', 'store/literals.go:1'],
  ])('%s', async (_what, line, symbol, place) => {
    expect(await define('user main.go', line, symbol)).toEqual([place]);
  });
});

it('uses behind all of these are found, and none behind another type', async () => {
  const found = await served.references('shop store/meta.go', 'Save');
  const own = ['store/literals.go:15', ...uses.map((_use, index) => `store/use.go:${index + 5}`)];
  expect(found).toEqual([...own, 'user main.go:6']);
  const { files } = await served.symbols.findReferences(
    alice,
    { repo: 'shop', path: 'store/meta.go', symbol: 'Save', line: 7, limit: 100 },
    signal,
  );
  expect(files.map(({ path }) => path)).toEqual(['store/use.go', 'main.go']);
});
